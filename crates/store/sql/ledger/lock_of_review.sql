-- Locks the memories that a review moved, the one that it created, and those that they were merged into, in the common lock
-- order to prevent deadlocks. `refolds` says whether a prepared fold is still valid.
with recursive moved as (
  (select e.memory_id from utility_event e where e.project_id = $1 and e.review_id = $2
   union all
   select m.memory_id from memory m where m.project_id = $1 and m.source_review = $2)
  union
  select p.memory_id from moved
  join memory_change c on c.project_id = $1 and c.memory_id = moved.memory_id and c.facet = 0 and not c.undone
                      and c.after ? 'merged'
  join memory_change p on p.project_id = $1 and p.action_id = c.action_id and p.facet = 5 and not p.undone
)
select s.memory_id, coalesce(s.refolds, 0) as refolds from memory_stat s
where s.project_id = $1 and s.memory_id in (select memory_id from moved)
order by s.memory_id
for update
