-- The keys of calls about reviews of the runs: a client may have put words into them.
delete from idempotency where project_id = $1 and reviewed = any($2)
