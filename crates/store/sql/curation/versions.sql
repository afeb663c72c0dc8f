-- All texts of a memory, newest first, and their authors.
select v.version, v.action_id, a.actor, v.created_at, v.task, v.reflection, v.summary, v.guidance, v.key_mistake,
       v.correct_action, v.applicable_tools, v.metadata
from memory_version v
left join action a on a.project_id = $1 and a.action_id = v.action_id
where v.project_id = $1 and v.memory_id = $2
order by v.version desc
