-- Removes a batch of the delivery log that is older than 14 days. What waits for an enabled endpoint stays until it has ended: a later
-- delivery of its subject could otherwise wait for a row that is gone.
delete from webhook_delivery
where project_id = $1 and delivery_id in (
  select d.delivery_id from webhook_delivery d
  where d.project_id = $1 and d.delivery_id < (select uuid_at(now() - interval '14 days'))
    and (d.state <> 0 or not exists (select from webhook_endpoint e
                                     where e.project_id = $1 and e.endpoint_id = d.endpoint_id and e.enabled))
  order by d.delivery_id limit 5000)
