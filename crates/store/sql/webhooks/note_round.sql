-- Counts a failed round of attempts, or notes that one succeeded. Nothing is written while all succeed, nor if the endpoint has another
-- address now ($4 is the one that was tried). Returns how many rounds in a row have failed, and for how many seconds.
update webhook_endpoint
set failures = case when $3::boolean then failures + 1 else 0 end,
    failing_since = case when $3::boolean then coalesce(failing_since, now()) end
where project_id = $1 and endpoint_id = $2 and url = $4 and ($3::boolean or failures > 0)
returning failures, extract(epoch from now() - coalesce(failing_since, now()))::float8 as failing_for
