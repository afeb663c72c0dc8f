-- Starts learning again for a failed run.
update trace_state set ingest = 0, attempts = 0, failures = 0, updated_at = now()
where project_id = $1 and trace_id = $2 and ingest = 3 and review_id is not null and not reviewed
returning review_id
