-- The keys of runs, so that signals find them.
insert into trace_key (project_id, subject, trace_id)
select $1, signal_subject(name, value), trace_id
from unnest($2::uuid[], $3::text[], $4::text[]) as sent (trace_id, name, value)
on conflict (project_id, subject, trace_id) do nothing
