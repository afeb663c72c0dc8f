-- The reviewed runs with the most similar tasks. Each has a memory, and the memory's vector is that of its task.
with nearest as materialized (
  select memory_id, distance from candidates($1, $2, $3, $4)
)
select (-n.distance)::real as similarity, r.passed, (select count(*) from nearest) as looked_at
from nearest n
join memory m on m.project_id = $1 and m.memory_id = n.memory_id
join review r on r.project_id = $1 and r.review_id = m.source_review
  and r.superseded_by is null and r.withdrawn_at is null
order by n.distance, n.memory_id
