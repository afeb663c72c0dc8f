-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from idempotency where project_id = $1 and key in (select key from idempotency where project_id = $1 limit 1000)
