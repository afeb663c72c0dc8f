-- Places a memory in a space, if it may still be served and still has the task whose vector this is. It is
-- held by then, so neither changes any more.
insert into memory_vector (project_id, space_id, memory_id, embedding)
select $1, $2, m.memory_id, $4::real[]::halfvec
from memory m join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id
where m.project_id = $1 and m.memory_id = $3 and m.task = $5 and s.status = 1
on conflict do nothing
