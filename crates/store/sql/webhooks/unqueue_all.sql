-- Stops all deliveries of a deleted project. The rows are locked in the order in which events lock them.
with locked as materialized (
  select endpoint_id from webhook_queue where project_id = $1 order by endpoint_id for update
)
delete from webhook_queue where project_id = $1 and endpoint_id in (select endpoint_id from locked)
