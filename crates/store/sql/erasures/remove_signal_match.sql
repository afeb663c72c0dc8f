-- Removes which signals were about runs.
delete from signal_match where project_id = $1 and trace_id = any($2)
