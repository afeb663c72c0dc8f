-- What was answered under a key before.
select request_digest, answer from idempotency where project_id = $1 and key = $2
