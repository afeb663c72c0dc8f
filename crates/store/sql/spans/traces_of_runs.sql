-- The traces that runs become or became.
select otlp_id, trace_id from otlp_run where project_id = $1 and otlp_id = any($2::uuid[])
