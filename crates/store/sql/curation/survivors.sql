-- Memories, and all that they were merged into, directly or through others.
with recursive reached as (
  select unnest($2::uuid[]) as memory_id
  union
  select p.memory_id from reached
  join memory_change c on c.project_id = $1 and c.memory_id = reached.memory_id and c.facet = 0 and not c.undone
                      and c.after ? 'merged'
  join memory_change p on p.project_id = $1 and p.action_id = c.action_id and p.facet = 5 and not p.undone
)
select memory_id from reached order by memory_id
