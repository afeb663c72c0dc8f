-- All texts of the situation that speaks for a memory's lesson, newest first, and their authors.
select v.version, v.action_id, a.actor, v.created_at, v.task, v.reflection, v.summary, v.guidance, v.key_mistake,
       v.correct_action, v.applicable_tools, v.metadata
from memory_version v
left join action a on a.project_id = $1 and a.action_id = v.action_id
where v.project_id = $1 and v.memory_id = (
  select coalesce(lesson_speaker($1, s.lesson_id), s.memory_id) from memory_stat s where s.project_id = $1 and s.memory_id = $2)
order by v.version desc
