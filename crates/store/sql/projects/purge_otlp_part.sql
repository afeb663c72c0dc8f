-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from otlp_part
where project_id = $1 and (otlp_id, part_id) in (select otlp_id, part_id from otlp_part where project_id = $1 limit 1000)
