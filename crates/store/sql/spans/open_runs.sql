-- Opens the runs of spans that arrive, and locks those that are there, in one order, which prevents deadlocks. Spans of other
-- programs open no run, and at most $11 runs are new. A run that gets spans for a day is closed. Returns what decides whether a
-- run takes the spans.
with known as materialized (
  select otlp_id from otlp_run where project_id = $1 and otlp_id = any($2::uuid[])
), new_runs as materialized (
  select given.otlp_id from unnest($2::uuid[], $5::boolean[]) as given (otlp_id, opens)
  where given.opens and given.otlp_id not in (select otlp_id from known)
  order by given.otlp_id
  limit $11::bigint
)
insert into otlp_run as r (project_id, otlp_id, trace_id, key_id, key_name, trust, root_ended, due_at)
select $1, given.otlp_id, given.trace_id, $6::uuid, $7::text, $8::smallint, given.root_ended,
       now() + make_interval(secs => case when given.root_ended then $9::float8 else $10::float8 end)
from unnest($2::uuid[], $3::uuid[], $4::boolean[], $5::boolean[]) as given (otlp_id, trace_id, root_ended, opens)
where given.otlp_id in (select otlp_id from known)
   or given.otlp_id in (select otlp_id from new_runs)
order by given.otlp_id
on conflict (project_id, otlp_id) do update
set root_ended = r.root_ended or excluded.root_ended,
    trust = case when r.state = 0 then least(r.trust, excluded.trust) else r.trust end,
    due_at = case when r.state > 0 then r.due_at
                  else least(r.created_at + interval '1 day',
                             now() + make_interval(secs => case when r.root_ended or excluded.root_ended then $9 else $10 end)) end
returning r.otlp_id, r.state, r.parts, r.bytes, r.created_at = now() as is_new
