-- Removes an endpoint. Its deliveries expire with the delivery log. The caller holds the lock of the queue row.
with unqueued as (delete from webhook_queue where project_id = $1 and endpoint_id = $2)
delete from webhook_endpoint where project_id = $1 and endpoint_id = $2
