-- Copies a batch of states to the table that is partitioned by time, and returns the last one.
select project_id, trace_id from copy_trace_states($1, $2, $3, $4)
