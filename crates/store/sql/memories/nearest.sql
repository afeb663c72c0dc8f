-- The memories nearest to a query by exact search: all vectors of the project are read sequentially from the covering index.
-- Utility and status come from the narrow table beside it, the digest of the lesson from an index that holds it.
with nearest as materialized (
  select v.memory_id, v.embedding <#> $3::real[]::halfvec as distance
  from memory_vector v
  where v.project_id = $1 and v.space_id = $2
  order by v.embedding <#> $3::real[]::halfvec
  limit $4
)
select n.memory_id, (-n.distance)::real as similarity, s.q, s.credit, s.evidence, s.status, s.author_key, s.source_trace,
       m.lesson_digest
from nearest n
join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id
join memory m on m.project_id = $1 and m.memory_id = n.memory_id
order by n.distance, n.memory_id
