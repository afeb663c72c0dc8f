-- A review waits for learning longer than any queue takes.
update trace_state set updated_at = now() - interval '10 minutes' where trace_id = $1
