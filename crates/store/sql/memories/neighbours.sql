-- The reviewed runs with the most similar tasks. Each has a memory, and the memory's vector is that of its task.
with nearest as materialized (
  select v.memory_id, v.embedding <#> $3::real[]::halfvec as distance
  from memory_vector v
  where v.project_id = $1 and v.space_id = $2
  order by v.embedding <#> $3::real[]::halfvec
  limit $4
)
select (-n.distance)::real as similarity, r.passed, (select count(*) from nearest) as looked_at
from nearest n
join memory m on m.project_id = $1 and m.memory_id = n.memory_id
join review r on r.project_id = $1 and r.review_id = m.source_review
  and r.superseded_by is null and r.withdrawn_at is null
order by n.distance, n.memory_id
