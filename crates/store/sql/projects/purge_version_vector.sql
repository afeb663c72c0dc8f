-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from version_vector where project_id = $1 and (memory_id, version, space_id) in (select memory_id, version, space_id from version_vector where project_id = $1 limit 1000)
