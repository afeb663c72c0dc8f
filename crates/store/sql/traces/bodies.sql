-- The compressed trajectories of some runs. Dropped bodies are missing.
select trace_id, body from trace_body where project_id = $1 and trace_id = any($2)
