-- The memories that came of runs, whatever review made them.
select memory_id from memory where project_id = $1 and source_trace = any($2)
