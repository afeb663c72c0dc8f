-- Which runs signals are about.
select signal_id, trace_id from signal_match where project_id = $1 and signal_id = any($2::uuid[]) order by signal_id, trace_id desc
