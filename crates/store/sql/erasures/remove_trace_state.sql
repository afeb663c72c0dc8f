-- What became of runs, with the words of a provider that failed.
delete from trace_state where project_id = $1 and trace_id = any($2)
