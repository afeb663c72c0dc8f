-- The memories with the most similar tasks, servable or not.
with own as materialized (
  select embedding from memory_vector where project_id = $1 and space_id = $2 and memory_id = $3
  union all
  select embedding from parked_vector where project_id = $1 and space_id = $2 and memory_id = $3
  limit 1
), searched as materialized (
  -- One more, because the memory is its own nearest.
  select c.memory_id, c.distance from candidates($1, $2, (select embedding::real[] from own), $4::bigint + 1) c
  where c.memory_id <> $3
), parked as materialized (
  select v.memory_id, v.embedding <#> (select embedding from own) as distance
  from parked_vector v
  where v.project_id = $1 and v.space_id = $2 and v.memory_id <> $3 and exists (select from own)
  order by 2 limit $4
)
select n.memory_id, (-n.distance)::real as similarity, m.task, m.reflection, s.status, s.q, s.credit, s.evidence,
       s.author_key is not null and s.source_trace is not null as untrusted
from (select * from searched union all select * from parked order by distance, memory_id limit $4) n
join memory m on m.project_id = $1 and m.memory_id = n.memory_id
join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id
order by n.distance, n.memory_id
