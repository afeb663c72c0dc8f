-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from webhook_delivery where project_id = $1 and delivery_id in (select delivery_id from webhook_delivery where project_id = $1 limit 1000)
