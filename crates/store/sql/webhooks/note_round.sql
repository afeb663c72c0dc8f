-- Counts a failed round of attempts, or notes that one succeeded. Nothing is written while all succeed.
update webhook_endpoint
set failures = case when $3::boolean then failures + 1 else 0 end,
    failing_since = case when $3::boolean then coalesce(failing_since, now()) end
where project_id = $1 and endpoint_id = $2 and ($3::boolean or failures > 0)
