-- Removes vectors, because a text can be approximately reconstructed from its vector. The condition on the spaces
-- allows the index to be used.
delete from memory_vector
where project_id = $1 and memory_id = any($2) and space_id in (select space_id from embedding_space)
