-- The memories that a reviewed run was shown, according to the ledger: one for each lesson, since a lesson is served once. In
-- the order in which the run is linked to them ($3).
select memory_id, task, reflection from (
  select distinct on (coalesce(m.lesson_digest, m.memory_id)) m.memory_id, m.task, m.reflection,
         array_position($3::uuid[], m.memory_id) as place
  from utility_event e
  join memory m on m.project_id = e.project_id and m.memory_id = e.memory_id
  where e.project_id = $1 and e.review_id = $2
  order by coalesce(m.lesson_digest, m.memory_id), array_position($3::uuid[], m.memory_id)
) shown
order by place
