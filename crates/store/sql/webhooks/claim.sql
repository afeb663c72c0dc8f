-- Claims due endpoints for a process, the longest due first, and at most $4 of one project for all processes. The claim of a process
-- that died ends by itself, because the row is then due again. Projects that have all their places in use are left out before the
-- limit, so that they cannot fill it.
with busy as materialized (
  select project_id, count(*) as held from webhook_queue where held_by is not null and due_at > now() group by project_id
), page as materialized (
  select due.project_id, due.endpoint_id, due.due_at,
         row_number() over (partition by due.project_id order by due.due_at) as place
  from (select q.project_id, q.endpoint_id, q.due_at from webhook_queue q
        where q.due_at <= now() and not exists (select from busy b where b.project_id = q.project_id and b.held >= $4::int)
        order by q.due_at limit 500) as due
), wanted as materialized (
  select q.project_id, q.endpoint_id
  from page p
  join webhook_queue q on q.project_id = p.project_id and q.endpoint_id = p.endpoint_id
  left join busy b on b.project_id = p.project_id
  where q.due_at <= now() and p.place <= $4::int - coalesce(b.held, 0)
  order by p.due_at
  limit $2::int
  for update of q skip locked
)
update webhook_queue q
set held_by = $1::uuid, due_at = now() + make_interval(secs => $3::float8), again = false
from wanted w
where q.project_id = w.project_id and q.endpoint_id = w.endpoint_id
returning q.project_id, q.endpoint_id, q.waiting_runs
