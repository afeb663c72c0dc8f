-- Releases the leases of a holder. Deferrals stay.
with held as (
  select trace_id, deferred_until is null as bare from queue_entry
  where project_id = $1 and trace_id = any($2::uuid[]) and lease_holder = $3
  order by trace_id
  for update
), gone as (
  delete from queue_entry e using held where e.project_id = $1 and e.trace_id = held.trace_id and held.bare
)
update queue_entry e set lease_holder = null, leased_until = null
from held where e.project_id = $1 and e.trace_id = held.trace_id and not held.bare
