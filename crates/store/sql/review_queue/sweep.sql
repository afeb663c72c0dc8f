-- Removes leases and deferrals that have run out, some at a time. Nobody minds them, so when does not matter. Asked
-- twice, because an entry may be leased anew between being found and being removed.
delete from queue_entry
where project_id = $1 and coalesce(leased_until, '-infinity') <= now()
  and coalesce(deferred_until, '-infinity') <= now()
  and trace_id in (
    select trace_id from queue_entry
    where project_id = $1 and coalesce(leased_until, '-infinity') <= now()
      and coalesce(deferred_until, '-infinity') <= now()
    limit 5000)
