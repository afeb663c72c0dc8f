-- For each memory ($2), the newest passed run that used it, reviewed after the review that the memory comes from ($3). A run that is
-- known not to have used it does not count. Reads the newest entries ($4) of each memory only.
select given.memory_id, helped.trace_id
from unnest($2::uuid[], $3::uuid[]) as given (memory_id, source_review)
cross join lateral (
  select r.trace_id
  from (select u.seq, u.review_id, u.reward, u.used, u.withdrawn from utility_event u
        where u.project_id = $1 and u.memory_id = given.memory_id
        order by u.seq desc
        limit $4) e
  join review r on r.project_id = $1 and r.review_id = e.review_id
    and r.superseded_by is null and r.withdrawn_at is null
  join trace t on t.project_id = $1 and t.trace_id = r.trace_id and t.erased_at is null
  where not e.withdrawn and e.reward = 1 and e.used is distinct from false and e.review_id > given.source_review
  order by e.seq desc
  limit 1
) helped
