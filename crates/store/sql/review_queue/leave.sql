-- Runs that got their verdict wait for no reviewer any more.
delete from queue_entry where project_id = $1 and trace_id = any($2::uuid[])
