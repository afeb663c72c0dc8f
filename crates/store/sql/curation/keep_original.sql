-- Stores the first text as a version before the second one is added.
insert into memory_version (project_id, memory_id, version, task, reflection, summary, guidance, key_mistake,
                            correct_action, applicable_tools, metadata, created_at)
select m.project_id, m.memory_id, 1, m.task, m.reflection, m.summary, m.guidance, m.key_mistake, m.correct_action,
       m.applicable_tools, m.metadata, m.created_at
from memory m
where m.project_id = $1 and m.memory_id = $2 and m.version = 1
on conflict do nothing
