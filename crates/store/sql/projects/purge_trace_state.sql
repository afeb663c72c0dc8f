-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from trace_state where project_id = $1 and trace_id in (select trace_id from trace_state where project_id = $1 limit 1000)
