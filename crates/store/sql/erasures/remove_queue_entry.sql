-- Removes the notes of reviewers on deferred runs.
delete from queue_entry where project_id = $1 and trace_id = any($2)
