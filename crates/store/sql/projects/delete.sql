-- Marks a project as deleted; its rows are removed later in batches.
update project set deleted_at = now() where project_id = $1 and deleted_at is null
