-- Makes the space of a model's vectors, unless somebody just did.
insert into embedding_space (provider, model, revision, dimensions, key_text) values ($1, $2, $3, $4, $5)
on conflict do nothing
