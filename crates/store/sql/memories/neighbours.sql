-- The reviewed runs with the most similar tasks. Each has a memory, and the memory's vector is that of its task. Runs that a
-- memory absorbed had nearly the same task.
with nearest as materialized (
  select memory_id, distance from candidates($1, $2, $3, $4)
), runs as materialized (
  select n.memory_id, n.distance, n.memory_id as run from nearest n
  union all
  select n.memory_id, n.distance, s.memory_id from nearest n
  join memory_stat s on s.project_id = $1 and s.merged_into = n.memory_id and s.merged_into is not null and s.status = 5
)
select (-n.distance)::real as similarity, r.passed, (select count(*) from nearest) as looked_at
from runs n
join memory m on m.project_id = $1 and m.memory_id = n.run
join review r on r.project_id = $1 and r.review_id = m.source_review
  and r.superseded_by is null and r.withdrawn_at is null
order by n.distance, n.memory_id, r.review_id
