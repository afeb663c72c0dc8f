-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from memory where project_id = $1 and memory_id in (select memory_id from memory where project_id = $1 limit 1000)
