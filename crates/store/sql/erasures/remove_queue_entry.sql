-- What reviewers noted when they put runs off.
delete from queue_entry where project_id = $1 and trace_id = any($2)
