-- Stores the vector of a memory in an embedding space.
insert into memory_vector (project_id, space_id, memory_id, embedding)
values ($1, $2, $3, $4::real[]::halfvec)
on conflict do nothing
