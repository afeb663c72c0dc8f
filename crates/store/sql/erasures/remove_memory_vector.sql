-- Removes vectors, because a text can be approximately reconstructed from its vector.
delete from memory_vector where project_id = $1 and memory_id = any($2)
