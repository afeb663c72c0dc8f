-- The lessons of the most useful active memories of one outcome, best first.
select m.memory_id, m.task, m.reflection, m.summary, m.guidance, m.key_mistake, m.correct_action
from memory m join memory_stat s on s.project_id = m.project_id and s.memory_id = m.memory_id
where m.project_id = $1 and m.success = $2 and s.status = 1
order by s.q desc, s.reviews desc, m.memory_id desc
limit $3
