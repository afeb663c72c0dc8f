-- Removes the wait for further signals about runs.
delete from signal_wait where project_id = $1 and trace_id = any($2)
