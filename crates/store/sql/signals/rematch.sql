-- Lets the runs of a signal that changed be looked at again. Returns the runs.
insert into signal_wait (project_id, trace_id, until)
select m.project_id, m.trace_id, now() from signal_match m where m.project_id = $1 and m.signal_id = $2 order by m.trace_id
on conflict (project_id, trace_id) do update set until = excluded.until, change = excluded.change
returning trace_id
