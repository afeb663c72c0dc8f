-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from memory_change where project_id = $1 and (memory_id, seq) in (select memory_id, seq from memory_change where project_id = $1 limit 1000)
