-- The state of a run, which is locked: spans that arrive now wait, and are too late if the run is closed meanwhile.
select state, trace_id, key_id, key_name, trust, dropped, greatest(extract(epoch from due_at - now()), 0)::float8 as waits
from otlp_run where project_id = $1 and otlp_id = $2
for update
