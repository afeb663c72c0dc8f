-- The memories that a reviewed run was shown, according to the ledger: one for each lesson, since a lesson is served once.
select memory_id, task, reflection from (
  select distinct on (coalesce(m.lesson_digest, m.memory_id)) m.memory_id, m.task, m.reflection, e.seq
  from utility_event e
  join memory m on m.project_id = e.project_id and m.memory_id = e.memory_id
  where e.project_id = $1 and e.review_id = $2
  order by coalesce(m.lesson_digest, m.memory_id), e.seq
) shown
order by seq
