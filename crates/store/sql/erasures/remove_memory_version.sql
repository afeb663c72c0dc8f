-- Removes the earlier texts of memories.
delete from memory_version where project_id = $1 and memory_id = any($2)
