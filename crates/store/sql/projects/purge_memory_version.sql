-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from memory_version where project_id = $1 and (memory_id, version) in (select memory_id, version from memory_version where project_id = $1 limit 1000)
