-- Removes memories that may not be served from the search. The condition on the spaces allows the index to be used.
with gone as (
  delete from memory_vector v using memory_stat s
  where v.project_id = $1 and v.memory_id = any($2) and v.space_id in (select space_id from embedding_space)
    and s.project_id = $1 and s.memory_id = v.memory_id and s.status <> 1
  returning v.space_id, v.memory_id, v.embedding
)
insert into parked_vector (project_id, space_id, memory_id, embedding)
select $1, space_id, memory_id, embedding from gone
on conflict do nothing
