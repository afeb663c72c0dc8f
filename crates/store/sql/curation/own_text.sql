-- The own current text of a memory and its version, not those of its lesson.
select version, task, reflection, summary, guidance, key_mistake, correct_action, applicable_tools, metadata
from memory where project_id = $1 and memory_id = $2
