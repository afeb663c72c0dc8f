-- Stores the vector of a memory that may not be served yet.
insert into parked_vector (project_id, space_id, memory_id, embedding)
values ($1, $2, $3, $4::real[]::halfvec)
on conflict do nothing
