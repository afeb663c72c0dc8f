-- Sets or removes the review of a run and restarts learning. Returns the types of events that the project sends.
update trace_state set ingest = $4, review_id = $3, reviewed = false, memory_id = null, attempts = 0,
                       failures = 0,
                       last_error = null, updated_at = now()
where project_id = $1 and trace_id = $2
returning (select webhook_types from project where project_id = $1)
