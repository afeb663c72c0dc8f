-- Creates the embedding space of a model, unless another process created it in the meantime.
insert into embedding_space (provider, model, revision, dimensions, key_text) values ($1, $2, $3, $4, $5)
on conflict do nothing
