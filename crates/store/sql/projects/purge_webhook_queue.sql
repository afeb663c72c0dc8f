-- Removes the rows of a deleted project: at most a few.
delete from webhook_queue where project_id = $1
