-- Removes the runs last, because the remaining ones are the work that is left.
delete from trace where project_id = $1 and trace_id = any($2)
