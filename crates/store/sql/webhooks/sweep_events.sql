-- Removes a batch of events that are older than their deliveries can be.
delete from webhook_event
where project_id = $1 and event_id in (
  select event_id from webhook_event
  where project_id = $1 and event_id < (select uuid_at(now() - interval '16 days'))
  order by event_id limit 5000)
