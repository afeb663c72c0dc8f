-- Locks memories, those that they absorbed and those that absorbed them, in the common lock order.
select from memory_stat s
where s.project_id = $1 and s.memory_id in (
  select unnest($2::uuid[])
  union all
  select o.memory_id from memory_stat o
  where o.project_id = $1 and o.merged_into = any($2) and o.merged_into is not null
  union all
  select o.merged_into from memory_stat o
  where o.project_id = $1 and o.memory_id = any($2) and o.merged_into is not null)
order by s.memory_id
for update
