-- Returns memories that may be served again to the search.
with back as (
  delete from parked_vector p using memory_stat s
  where p.project_id = $1 and p.memory_id = any($2)
    and s.project_id = $1 and s.memory_id = p.memory_id and s.status = 1
  returning p.space_id, p.memory_id, p.embedding
)
insert into memory_vector (project_id, space_id, memory_id, embedding)
select $1, space_id, memory_id, embedding from back
on conflict do nothing
