-- Returns a job whose failure could not be stored elsewhere, mostly because the database was not available. It waits 5 seconds
-- longer after each attempt, at most 5 minutes.
update job
set worker = null, turn = null, again_at = null, ready_at = null, last_error = left($6, 500),
    run_at = coalesce(again_at, now() + make_interval(secs => least(5 * attempts, 300)))
where project_id = $3 and kind = $4 and subject = $5 and worker = $1 and turn = $2
