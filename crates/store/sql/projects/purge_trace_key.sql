-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from trace_key
where project_id = $1 and (subject, trace_id) in (select subject, trace_id from trace_key where project_id = $1 limit 1000)
