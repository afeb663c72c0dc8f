-- The model that judged the newest judged run.
select model from judgement where project_id = $1 order by trace_id desc limit 1
