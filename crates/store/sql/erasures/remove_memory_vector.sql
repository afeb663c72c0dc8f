-- Vectors, which can be turned back into something like their text.
delete from memory_vector where project_id = $1 and memory_id = any($2)
