-- The runs themselves, last: those that are left say what is left to do.
delete from trace where project_id = $1 and trace_id = any($2)
