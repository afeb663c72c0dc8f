-- Ends the deferral of a run.
update queue_entry set deferred_until = null, deferred_by = null, deferred_note = null
where project_id = $1 and trace_id = $2
