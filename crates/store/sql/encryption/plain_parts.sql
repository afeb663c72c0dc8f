-- What spans of waiting runs say, after a span of a run, if it does not start with the marker of encrypted bytes. The spans of a
-- run that is ending are skipped: to wait for some of them while others are locked could be a deadlock.
select otlp_id, part_id, content from otlp_part
where project_id = $1 and (otlp_id, part_id) > ($2::uuid, $3::uuid) and substring(content from 1 for 4) <> $4
order by otlp_id, part_id limit $5
for update skip locked
