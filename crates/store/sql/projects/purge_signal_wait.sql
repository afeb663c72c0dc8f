-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from signal_wait where project_id = $1 and trace_id in (select trace_id from signal_wait where project_id = $1 limit 1000)
