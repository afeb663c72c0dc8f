-- Removes some of a deleted project's rows; run again until none is left.
delete from judgement where project_id = $1 and trace_id in (select trace_id from judgement where project_id = $1 limit 1000)
