-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from otlp_run where project_id = $1 and otlp_id in (select otlp_id from otlp_run where project_id = $1 limit 1000)
