-- Locks the queue row of an endpoint. It guards which delivery of a subject is the first, and is taken before the row of the endpoint.
-- Returns the position of the last delivery.
select last_position from webhook_queue where project_id = $1 and endpoint_id = $2 for update
