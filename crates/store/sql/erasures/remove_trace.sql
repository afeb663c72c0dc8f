-- Runs.
delete from trace where project_id = $1 and trace_id = any($2)
