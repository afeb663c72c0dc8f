-- Restores the vectors that a text had before. A retired memory gets none.
insert into parked_vector (project_id, space_id, memory_id, embedding)
select $1, v.space_id, v.memory_id, v.embedding
from version_vector v
join memory_stat s on s.project_id = $1 and s.memory_id = v.memory_id and not s.retired
where v.project_id = $1 and v.memory_id = $2 and v.version = $3
on conflict do nothing
