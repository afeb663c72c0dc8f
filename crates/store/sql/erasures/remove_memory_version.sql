-- The texts that memories have had.
delete from memory_version where project_id = $1 and memory_id = any($2)
