-- Counts runs that began to wait for a review. Their announcement is due a short time after the first of them, and not before the
-- project has rested from the last one.
update webhook_queue
set waiting_runs = least(waiting_runs + $2::int, 1000000),
    again = held_by is not null,
    due_at = case when held_by is not null then due_at
                  else least(due_at, greatest(now() + make_interval(secs => $3::float8), paused_until)) end
where project_id = $1 and endpoint_id = '00000000-0000-0000-0000-000000000000'
