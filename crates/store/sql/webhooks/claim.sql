-- Claims due endpoints for a process, the longest due first, and at most $4 of one project for all processes. The claim of a process
-- that died ends by itself, because the row is then due again.
with page as materialized (
  select due.project_id, due.endpoint_id, due.due_at,
         row_number() over (partition by due.project_id order by due.due_at) as place
  from (select project_id, endpoint_id, due_at from webhook_queue where due_at <= now() order by due_at limit 500) as due
), wanted as materialized (
  select q.project_id, q.endpoint_id
  from page p
  join webhook_queue q on q.project_id = p.project_id and q.endpoint_id = p.endpoint_id
  where q.due_at <= now()
    and p.place <= $4::int - (select count(*) from webhook_queue h
                              where h.project_id = p.project_id and h.held_by is not null and h.due_at > now())
  order by p.due_at
  limit $2::int
  for update of q skip locked
)
update webhook_queue q
set held_by = $1::uuid, due_at = now() + make_interval(secs => $3::float8), again = false
from wanted w
where q.project_id = w.project_id and q.endpoint_id = w.endpoint_id
returning q.project_id, q.endpoint_id, q.waiting_runs
