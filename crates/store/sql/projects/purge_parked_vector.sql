-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from parked_vector where project_id = $1 and (memory_id, space_id) in (select memory_id, space_id from parked_vector where project_id = $1 limit 1000)
