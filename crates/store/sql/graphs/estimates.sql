-- The projects with many vectors, as the statistics estimate it, with each space that they read or write.
select e.project_id, s.space_id, s.dimensions, e.vectors
from estimated_vectors() e
join project p on p.project_id = e.project_id and p.deleted_at is null
join embedding_space s on s.space_id = any(p.write_spaces || p.read_space)
where e.vectors >= $1
order by e.project_id, s.space_id
