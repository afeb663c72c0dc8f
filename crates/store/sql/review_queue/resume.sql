-- A run that was put off waits again.
update queue_entry set deferred_until = null, deferred_by = null, deferred_note = null
where project_id = $1 and trace_id = $2
