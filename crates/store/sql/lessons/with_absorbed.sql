-- Memories, and what is merged into them, directly or through others, in the common lock order.
with recursive reached as (
  select unnest($2::uuid[]) as memory_id
  union
  select s.memory_id from reached
  join memory_stat s on s.project_id = $1 and s.merged_into = reached.memory_id and s.merged_into is not null and s.presence = 3
)
select memory_id from reached order by memory_id
