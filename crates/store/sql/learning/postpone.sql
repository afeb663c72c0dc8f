-- Records why a run waits for another attempt.
update trace_state set ingest = 0, last_error = $3, failures = failures + $4, updated_at = now()
where project_id = $1 and review_id = $2 and not reviewed
  and trace_id = (select trace_id from review where project_id = $1 and review_id = $2)
