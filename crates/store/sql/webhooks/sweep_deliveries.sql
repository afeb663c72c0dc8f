-- Removes a batch of the delivery log that is older than 14 days, in any state.
delete from webhook_delivery
where project_id = $1 and delivery_id in (
  select delivery_id from webhook_delivery
  where project_id = $1 and delivery_id < (select uuid_at(now() - interval '14 days'))
  order by delivery_id limit 5000)
