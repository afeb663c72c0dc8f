-- The same among the memories that match a filter. Each key must be present with that value, or with a list that contains
-- it; exclusions have the same form.
with allowed as materialized (
  select m.memory_id from memory m
  where m.project_id = $1
    and not exists (select from jsonb_each($5::jsonb) f where not coalesce(m.metadata -> f.key @> f.value, false))
    and ($6::jsonb = '{}'
         or exists (select from jsonb_each($6::jsonb) x where not coalesce(m.metadata -> x.key @> x.value, false)))
), nearest as materialized (
  select v.memory_id, v.embedding <#> $3::real[]::halfvec as distance
  from allowed a join memory_vector v on v.project_id = $1 and v.space_id = $2 and v.memory_id = a.memory_id
  order by v.embedding <#> $3::real[]::halfvec
  limit $4
)
select n.memory_id, (-n.distance)::real as similarity, s.q, s.credit, s.evidence, s.status, s.author_key, s.source_trace,
       m.lesson_digest
from nearest n
join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id
join memory m on m.project_id = $1 and m.memory_id = n.memory_id
order by n.distance, n.memory_id
