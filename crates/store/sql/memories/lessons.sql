-- The lessons of the most useful active memories of one outcome, best first, each text once.
with best as (
  select m.memory_id, s.q, s.reviews,
         row_number() over (partition by coalesce(m.lesson_digest, m.memory_id)
                            order by s.q desc, s.reviews desc, m.memory_id desc) as nth
  from memory m join memory_stat s on s.project_id = m.project_id and s.memory_id = m.memory_id
  where m.project_id = $1 and m.success = $2 and s.status = 1
)
select m.memory_id, m.task, m.reflection, m.summary, m.guidance, m.key_mistake, m.correct_action
from (select memory_id, q, reviews from best where nth = 1 order by q desc, reviews desc, memory_id desc limit $3) b
join memory m on m.project_id = $1 and m.memory_id = b.memory_id
order by b.q desc, b.reviews desc, b.memory_id desc
