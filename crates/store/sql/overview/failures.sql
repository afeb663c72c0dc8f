-- The newest runs whose learning failed, among the newest that have no memory.
select t.trace_id, left(t.task, 200) as task, s.last_error, least(t.created_at, uuid_time(t.trace_id)) as created_at
from (select project_id, trace_id, ingest, last_error from trace_state
      where project_id = $1 and not reviewed
      order by trace_id desc
      limit $3) s
join trace t on t.project_id = s.project_id and t.trace_id = s.trace_id
where s.ingest = 3
order by t.trace_id desc
limit $2
