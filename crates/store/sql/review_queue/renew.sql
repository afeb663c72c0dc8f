-- A holder keeps looking at these runs. One whose lease ran out is still theirs as long as nobody else took it.
with held as (
  select trace_id from queue_entry
  where project_id = $1 and trace_id = any($2::uuid[]) and lease_holder = $3
  order by trace_id
  for update
)
update queue_entry e set leased_until = now() + make_interval(secs => $4)
from held where e.project_id = $1 and e.trace_id = held.trace_id
returning e.trace_id, e.leased_until
