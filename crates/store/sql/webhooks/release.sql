-- Ends the claim of a process on an endpoint. It is due at once if something was added meanwhile, else at its next delivery ($4 says
-- whether there can be one). A failing endpoint is not due before $5 seconds.
update webhook_queue q
set held_by = null, again = false, paused_until = now() + make_interval(secs => $5::float8),
    due_at = case
      when q.again then greatest(now(), now() + make_interval(secs => $5::float8))
      when $4::boolean then (select greatest(d.next_at, now() + make_interval(secs => $5::float8)) from webhook_delivery d
                             where d.project_id = $1 and d.endpoint_id = $2 and d.state = 0 and d.next_at is not null
                             order by d.next_at limit 1)
    end
where q.project_id = $1 and q.endpoint_id = $2 and q.held_by = $3
