-- The last embedding migration of a project, running or not. None for a deleted project.
select c.change_id, c.from_space, c.to_space, c.state, c.cursor, c.done, c.total, c.last_error, c.started_at,
       c.switched_at, extract(epoch from now() - c.switched_at)::float8 as switched_seconds, c.updated_at, c.cleared_at
from space_change c join project p on p.project_id = c.project_id and p.deleted_at is null
where c.project_id = $1
order by c.change_id desc
limit 1
