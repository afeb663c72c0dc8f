-- The embedding space of the prepared vectors.
insert into embedding_space (provider, model, revision, dimensions, key_text) values ($1, $2, $3, $4::int, 'task')
returning space_id
