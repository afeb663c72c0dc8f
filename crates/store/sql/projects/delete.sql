-- Takes a project out of use; its rows are removed later, some at a time.
update project set deleted_at = now() where project_id = $1 and deleted_at is null
