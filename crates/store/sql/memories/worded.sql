-- The memories that share most words with a query, used when no vector is available. Any word may match, so the `and`s of
-- the query become `or`s. In a large project only memories with rare words of the query are compared.
with question as (
  select replace(plainto_tsquery('english', $2)::text, '&', '|')::tsquery as words
), compared as materialized (
  select memories_to_compare($1, $2, $4) as ids
), chosen as (
  select m.memory_id, m.lesson_digest, m.words, m.metadata from memory m
  where m.project_id = $1 and (select ids from compared) is null
  union all
  select m.memory_id, m.lesson_digest, m.words, m.metadata
  from unnest((select ids from compared)) as chosen (memory_id)
  join memory m on m.project_id = $1 and m.memory_id = chosen.memory_id
)
select m.memory_id, ts_rank(m.words, question.words, 32) as similarity, s.q, s.credit, s.evidence, s.status, s.author_key,
       s.source_trace,
       case when s.lesson_id is null or s.memory_id = coalesce(
              (select f.memory_id from memory_stat f
               where f.project_id = $1 and f.memory_id = s.lesson_id and f.lesson_id = s.lesson_id
                 and f.status in (1, 4, 5) and f.trust <> 0),
              lesson_speaker($1, s.lesson_id))
            then m.lesson_digest end as lesson_digest, s.lesson_id,
       coalesce(s.absorbed, 0) as absorbed
from question, chosen m
-- Before the limit, because memories that may not be served must not replace servable ones.
join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id and s.status = 1
where m.words @@ question.words
  and not exists (select from jsonb_each($4::jsonb) f where not coalesce(m.metadata -> f.key @> f.value, false))
  and ($5::jsonb = '{}'
       or exists (select from jsonb_each($5::jsonb) x where not coalesce(m.metadata -> x.key @> x.value, false)))
order by similarity desc, m.memory_id
limit $3
