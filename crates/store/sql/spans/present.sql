-- Which of these spans runs have.
select otlp_id, part_id from otlp_part where project_id = $1 and otlp_id = any($2::uuid[]) and part_id = any($3::uuid[])
