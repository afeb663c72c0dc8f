-- Removes the states of runs, which may hold error texts of a provider.
delete from trace_state where project_id = $1 and trace_id = any($2)
