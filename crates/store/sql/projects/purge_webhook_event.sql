-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from webhook_event where project_id = $1 and event_id in (select event_id from webhook_event where project_id = $1 limit 1000)
