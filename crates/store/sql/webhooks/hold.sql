-- Extends the claim of a process on an endpoint. No row if another process has claimed it since, or the endpoint was deleted.
update webhook_queue set due_at = now() + make_interval(secs => $4::float8)
where project_id = $1 and endpoint_id = $2 and held_by = $3
returning endpoint_id
