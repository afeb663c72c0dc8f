-- A batch of the live reviews that one action gave.
select r.trace_id, r.review_id from review r
where r.project_id = $1 and r.action_id = $2 and r.superseded_by is null and r.withdrawn_at is null
  and not (r.review_id = any($4::uuid[]))
order by r.review_id limit $3
