-- Removes the vectors of the earlier texts.
delete from version_vector where project_id = $1 and memory_id = any($2)
