-- Removes the idempotency keys of review calls for the runs, because a client may have put text into them.
delete from idempotency where project_id = $1 and reviewed = any($2)
