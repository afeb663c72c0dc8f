-- How many runs arrived recently, by the time in their ids. Counting stops at a limit.
select count(*) filter (where counted.trace_id >= uuid_at(now() - interval '1 day')) as last_day, count(*) as last_week
from (select trace_id from trace
      where project_id = $1 and erased_at is null and trace_id >= uuid_at(now() - interval '7 days')
      order by trace_id desc
      limit $2) counted
