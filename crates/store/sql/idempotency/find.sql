-- The stored answer of a key.
select request_digest, answer from idempotency where project_id = $1 and key = $2
