-- Removes a batch of stored answers that are too old to be requested again.
delete from idempotency
where project_id = $1 and key in (
  select key from idempotency
  where project_id = $1 and created_at < now() - interval '48 hours'
  order by created_at
  limit 5000)
