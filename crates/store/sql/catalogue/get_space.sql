-- Reads a space by its number.
select space_id, provider, model, revision, dimensions, key_text, similarity_threshold from embedding_space
where space_id = $1
