-- Stores the vector of a text in an embedding space.
insert into version_vector (project_id, memory_id, version, space_id, embedding)
values ($1, $2, $3, $4, $5::real[]::halfvec)
on conflict do nothing
