-- Removes the texts of memories.
delete from memory where project_id = $1 and memory_id = any($2)
