-- Removes a batch of the delivery log that is older than 14 days. What waits for an enabled endpoint stays until it has ended, because a
-- later delivery of its subject waits for it. The endpoints that are disabled are locked, so that none is enabled meanwhile.
with disabled as materialized (
  select endpoint_id from webhook_endpoint where project_id = $1 and not enabled for share
)
delete from webhook_delivery
where project_id = $1 and delivery_id in (
  select d.delivery_id from webhook_delivery d
  where d.project_id = $1 and d.delivery_id < (select uuid_at(now() - interval '14 days'))
    and (d.state <> 0 or d.endpoint_id in (select endpoint_id from disabled)
         or d.endpoint_id not in (select endpoint_id from webhook_endpoint where project_id = $1))
  order by d.delivery_id limit 5000
  for update of d skip locked)
