-- Memories, and all that they were merged into or absorbed by, directly or through others.
with recursive reached as (
  select unnest($2::uuid[]) as memory_id
  union
  select coalesce(p.memory_id, (c.after ->> 'absorbed')::uuid) from reached
  join memory_change c on c.project_id = $1 and c.memory_id = reached.memory_id and c.facet = 0 and not c.undone
                      and (c.after ? 'merged' or c.after ? 'absorbed')
  left join memory_change p on p.project_id = $1 and p.action_id = c.action_id and p.facet = 5 and not p.undone
  where p.memory_id is not null or c.after ? 'absorbed'
)
select memory_id from reached order by memory_id
