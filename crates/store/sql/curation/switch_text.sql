-- Switches a memory to one of its texts. What the earlier text advised is stored with it. Returns whether task and lesson changed,
-- and what tells what the memory advises now.
with old as (
  select m.version, m.task, m.reflection, m.correct_action, s.advice
  from memory m join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id
  where m.project_id = $1 and m.memory_id = $2
), kept as (
  update memory_version e set advice = old.advice from old
  where e.project_id = $1 and e.memory_id = $2 and e.version = old.version
)
update memory m
set version = v.version, task = v.task, reflection = v.reflection, summary = v.summary, guidance = v.guidance,
    key_mistake = v.key_mistake, correct_action = v.correct_action, applicable_tools = v.applicable_tools,
    metadata = v.metadata
from memory_version v, old
where m.project_id = $1 and m.memory_id = $2 and v.project_id = $1 and v.memory_id = $2 and v.version = $3
returning old.task <> m.task as other_task, old.reflection <> m.reflection as other_lesson,
          old.correct_action <> m.correct_action as other_action, m.correct_action, m.reflection, v.advice
