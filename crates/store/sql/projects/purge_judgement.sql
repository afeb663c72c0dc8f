-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from judgement where project_id = $1 and trace_id in (select trace_id from judgement where project_id = $1 limit 1000)
