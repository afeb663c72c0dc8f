-- Indexes memories: servable ones among the searched vectors, the others beside them. The caller holds their locks. A
-- memory whose text changed since it was embedded is skipped and comes again.
with sent as (
  select memory_id, text, ($5::real[])[(place - 1) * $6::int + 1 : place * $6::int]::halfvec as embedding
  from unnest($3::uuid[], $4::text[]) with ordinality as given (memory_id, text, place)
), held as materialized (
  select s.memory_id, s.status from memory_stat s
  where s.project_id = $1 and s.memory_id = any($3) and s.status not in (2, 3)
), fit as materialized (
  select sent.memory_id, sent.embedding, held.status
  from sent
  join held on held.memory_id = sent.memory_id
  join memory m on m.project_id = $1 and m.memory_id = sent.memory_id and sent.text in (m.task, m.reflection)
), searched as (
  insert into memory_vector (project_id, space_id, memory_id, embedding)
  select $1, $2, memory_id, embedding from fit where status = 1
  on conflict do nothing
  returning memory_id
), parked as (
  insert into parked_vector (project_id, space_id, memory_id, embedding)
  select $1, $2, memory_id, embedding from fit where status <> 1
  on conflict do nothing
  returning memory_id
)
select (select count(*) from searched) + (select count(*) from parked)
