-- The newest runs before a cursor, newest first.
select trace_id
from trace
where project_id = $1 and trace_id < $2 and erased_at is null
order by trace_id desc
limit $3
