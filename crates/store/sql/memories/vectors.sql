-- The vectors of a few memories, for selecting different ones.
select memory_id, embedding::real[] from memory_vector
where project_id = $1 and space_id = $2 and memory_id = any($3)
