-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from memory_vector where project_id = $1 and (space_id, memory_id) in (select space_id, memory_id from memory_vector where project_id = $1 limit 1000)
