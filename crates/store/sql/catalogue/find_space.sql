-- Finds the space of a model's vectors.
select space_id, provider, model, revision, dimensions, key_text, similarity_threshold from embedding_space
where provider = $1 and model = $2 and revision = $3 and dimensions = $4 and key_text = $5
