-- The pinned memories that match a filter, with their similarity to a query: by vector, or by words without a vector.
select m.memory_id,
       case when $3::smallint is null
            then ts_rank(m.words, replace(plainto_tsquery('english', $5)::text, '&', '|')::tsquery, 32)
            else coalesce(-(v.embedding <#> (select $4::real[]::halfvec)), 0) end::real as similarity,
       s.q, s.credit, s.evidence, s.status, s.author_key, s.source_trace,
       case when s.lesson_id is null or s.memory_id = coalesce(
              (select f.memory_id from memory_stat f
               where f.project_id = $1 and f.memory_id = s.lesson_id and f.lesson_id = s.lesson_id
                 and f.status in (1, 4, 5) and f.trust <> 0),
              lesson_speaker($1, s.lesson_id))
            then m.lesson_digest end as lesson_digest, s.lesson_id,
       coalesce(s.absorbed, 0) as absorbed
from memory_stat s
join memory m on m.project_id = $1 and m.memory_id = s.memory_id
left join memory_vector v on v.project_id = $1 and v.space_id = $3 and v.memory_id = s.memory_id
where s.project_id = $1 and s.memory_id = any($2) and s.pinned
  and not exists (select from jsonb_each($6::jsonb) f where not coalesce(m.metadata -> f.key @> f.value, false))
  and ($7::jsonb = '{}'
       or exists (select from jsonb_each($7::jsonb) x where not coalesce(m.metadata -> x.key @> x.value, false)))
order by m.memory_id
