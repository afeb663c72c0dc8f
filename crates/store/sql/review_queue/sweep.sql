-- Removes a batch of expired leases and deferrals. They have no effect, so the time of removal does not matter. The
-- condition is checked twice, because an entry may be leased again between search and removal.
delete from queue_entry
where project_id = $1 and coalesce(leased_until, '-infinity') <= now()
  and coalesce(deferred_until, '-infinity') <= now()
  and trace_id in (
    select trace_id from queue_entry
    where project_id = $1 and coalesce(leased_until, '-infinity') <= now()
      and coalesce(deferred_until, '-infinity') <= now()
    limit 5000)
