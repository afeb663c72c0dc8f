-- The current text of a memory. The caller holds its lock.
select version from memory where project_id = $1 and memory_id = $2
