-- Switches a memory to one of its texts. Returns whether task and lesson changed, and what it advises now.
with old as (
  select task, reflection from memory where project_id = $1 and memory_id = $2
)
update memory m
set version = v.version, task = v.task, reflection = v.reflection, summary = v.summary, guidance = v.guidance,
    key_mistake = v.key_mistake, correct_action = v.correct_action, applicable_tools = v.applicable_tools,
    metadata = v.metadata
from memory_version v, old
where m.project_id = $1 and m.memory_id = $2 and v.project_id = $1 and v.memory_id = $2 and v.version = $3
returning old.task <> m.task as other_task, old.reflection <> m.reflection as other_lesson, m.correct_action, m.reflection
