-- What was answered under a key before.
select request_sha, answer from idempotency where project_id = $1 and key = $2
