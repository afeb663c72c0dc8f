-- Where those texts stood.
delete from version_vector where project_id = $1 and memory_id = any($2)
