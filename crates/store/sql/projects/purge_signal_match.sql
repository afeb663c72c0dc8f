-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from signal_match
where project_id = $1 and (trace_id, signal_id) in (select trace_id, signal_id from signal_match where project_id = $1 limit 1000)
