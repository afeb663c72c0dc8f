-- Stores a new text of a memory and returns its number. The caller holds the lock of the memory.
insert into memory_version (project_id, memory_id, version, action_id, task, reflection, summary, guidance, key_mistake,
                            correct_action, applicable_tools, metadata)
select $1, $2, 1 + max(v.version), $3, $4, $5, $6, $7, $8, $9, $10, $11
from memory_version v where v.project_id = $1 and v.memory_id = $2
returning version
