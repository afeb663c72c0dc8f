-- The trace that a run becomes or became.
select trace_id from otlp_run where project_id = $1 and otlp_id = $2
