-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from webhook_endpoint where project_id = $1 and endpoint_id in (select endpoint_id from webhook_endpoint where project_id = $1 limit 1000)
