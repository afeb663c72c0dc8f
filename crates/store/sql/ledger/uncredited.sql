-- The entries of a review that have not moved credits yet, those credits, and what tells which of them are one lesson: the lesson,
-- and the text if it is the one that is shown. Locks the memories in the common lock order.
with held as (
  select s.memory_id, s.credit, s.evidence, s.credited, s.lesson_id from memory_stat s
  where s.project_id = $1 and s.memory_id in (
    select e.memory_id from utility_event e
    where e.project_id = $1 and e.review_id = $2 and e.credited is null and not e.withdrawn)
  order by s.memory_id
  for update
)
select held.memory_id, held.credit, held.evidence, held.credited, e.reward, e.alpha, e.annealed, e.voter is not null as untrusted,
       held.lesson_id as lesson,
       case when held.lesson_id is null or lesson_speaker($1, held.lesson_id) = held.memory_id then m.lesson_digest end as text
from held join utility_event e on e.project_id = $1 and e.review_id = $2 and e.memory_id = held.memory_id
left join memory m on m.project_id = $1 and m.memory_id = held.memory_id
