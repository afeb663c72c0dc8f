-- The memories that a reviewed run was shown, according to the ledger: one for each lesson, since a lesson is served once, with the
-- text of the lesson. In the order in which the run is linked to them ($3).
with shown as materialized (
  select distinct on (coalesce(s.lesson_id, m.lesson_digest, m.memory_id)) m.memory_id, m.task,
         array_position($3::uuid[], m.memory_id) as place,
         coalesce(lesson_speaker($1, s.lesson_id), m.memory_id) as speaker
  from utility_event e
  join memory m on m.project_id = e.project_id and m.memory_id = e.memory_id
  join memory_stat s on s.project_id = e.project_id and s.memory_id = e.memory_id
  where e.project_id = $1 and e.review_id = $2
  order by coalesce(s.lesson_id, m.lesson_digest, m.memory_id), array_position($3::uuid[], m.memory_id)
)
select shown.memory_id, shown.task, t.reflection
from shown join memory t on t.project_id = $1 and t.memory_id = shown.speaker
order by shown.place
