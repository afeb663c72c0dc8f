-- The memories that share most words with a query, used when no vector is available. Any word may match, so the `and`s of
-- the query become `or`s.
with question as (
  select replace(plainto_tsquery('english', $2)::text, '&', '|')::tsquery as words
), found as materialized (
  select m.memory_id, m.lesson_digest, ts_rank(m.words, question.words, 32) as rank
  from question, memory m
  -- Before the limit, because memories that may not be served must not replace servable ones.
  join memory_stat u on u.project_id = $1 and u.memory_id = m.memory_id and u.status = 1
  where m.project_id = $1 and m.words @@ question.words
    and not exists (select from jsonb_each($4::jsonb) f where not coalesce(m.metadata -> f.key @> f.value, false))
    and ($5::jsonb = '{}'
         or exists (select from jsonb_each($5::jsonb) x where not coalesce(m.metadata -> x.key @> x.value, false)))
  order by rank desc, m.memory_id
  limit $3
)
select f.memory_id, f.rank as similarity, s.q, s.credit, s.evidence, s.status, s.author_key, s.source_trace,
       f.lesson_digest
from found f join memory_stat s on s.project_id = $1 and s.memory_id = f.memory_id
order by f.rank desc, f.memory_id
