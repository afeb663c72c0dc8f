-- Stops all deliveries of a deleted project.
delete from webhook_queue where project_id = $1
