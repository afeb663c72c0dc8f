-- Locks the memories that a review moved, those that it created ($3), those that these were merged into, those that they
-- absorbed or were absorbed by, those that the review superseded, and further ones ($4), in the common lock order to prevent
-- deadlocks. `refolds` says whether a prepared fold is still valid.
with recursive moved as (
  (select e.memory_id from utility_event e where e.project_id = $1 and e.review_id = $2
   union all
   select unnest($3::uuid[]))
  union
  select p.memory_id from moved
  join memory_change c on c.project_id = $1 and c.memory_id = moved.memory_id and c.facet = 0 and not c.undone
                      and c.after ? 'merged'
  join memory_change p on p.project_id = $1 and p.action_id = c.action_id and p.facet = 5 and not p.undone
)
select s.memory_id, coalesce(s.refolds, 0) as refolds from memory_stat s
where s.project_id = $1 and s.memory_id in (
  select memory_id from moved
  union all
  select d.memory_id from memory_stat d
  where d.project_id = $1 and d.merged_into = any($3) and d.merged_into is not null
  union all
  select d.merged_into from memory_stat d
  where d.project_id = $1 and d.memory_id = any($3) and d.merged_into is not null
  union all
  select d.memory_id from memory_stat d
  where d.project_id = $1 and d.superseded_by = $2 and d.superseded_by is not null
  union all
  select unnest($4::uuid[]))
order by s.memory_id
for update
