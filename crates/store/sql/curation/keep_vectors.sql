-- Stores the current vectors with the current text before the text changes.
insert into version_vector (project_id, memory_id, version, space_id, embedding)
select $1, m.memory_id, m.version, v.space_id, v.embedding
from memory m
join (select memory_id, space_id, embedding from memory_vector
      where project_id = $1 and memory_id = $2 and space_id in (select space_id from embedding_space)
      union all
      select memory_id, space_id, embedding from parked_vector where project_id = $1 and memory_id = $2) v
  on v.memory_id = m.memory_id
where m.project_id = $1 and m.memory_id = $2
on conflict do nothing
