-- Ends the claim of a process on the announcement of waiting runs. $3 runs were announced or need no review any more. $4 seconds
-- pass before the next announcement. No row if another process has claimed it since.
update webhook_queue
set held_by = null, again = false, waiting_runs = greatest(waiting_runs - $3::int, 0),
    paused_until = now() + make_interval(secs => $4::float8),
    due_at = case when waiting_runs > $3::int then now() + make_interval(secs => $4::float8) end
where project_id = $1 and endpoint_id = '00000000-0000-0000-0000-000000000000' and held_by = $2
returning endpoint_id
