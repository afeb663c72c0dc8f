-- The stored answer of a key. The lock is a write, so the commit of a repeated call waits for synchronous standbys as the first
-- call did, which may not have been answered for this reason.
select request_digest, answer from idempotency where project_id = $1 and key = $2 for share
