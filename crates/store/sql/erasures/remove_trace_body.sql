-- Removes the messages of runs.
delete from trace_body where project_id = $1 and trace_id = any($2)
