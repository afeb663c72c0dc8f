-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from trace_body where project_id = $1 and trace_id in (select trace_id from trace_body where project_id = $1 limit 1000)
