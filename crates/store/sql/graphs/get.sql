-- One graph, as it is now.
select g.graph_id, g.project_id, g.space_id, g.dimensions, g.state, g.attached, g.vectors, g.ef_search, g.recall, g.questions,
       g.attempts, g.last_error,
       coalesce(p.deleted_at is null and g.space_id = any(p.write_spaces || p.read_space), false) as in_use,
       extract(epoch from now() - g.changed_at)::float8 as changed_seconds,
       extract(epoch from now() - g.checked_at)::float8 as checked_seconds
from vector_graph g left join project p on p.project_id = g.project_id
where g.project_id = $1 and g.graph_id = $2
