-- Stores the answer of a call whose result was known only at its end.
update idempotency set answer = $3 where project_id = $1 and key = $2
