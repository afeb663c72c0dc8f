-- Marks learning from a run as failed, with the reason.
update trace_state set ingest = 3, last_error = $3, updated_at = now()
where project_id = $1 and review_id = $2 and not reviewed
  and trace_id = (select trace_id from review where project_id = $1 and review_id = $2)
