-- The compressed trajectories of some runs, or where they are. Dropped bodies are missing.
select trace_id, body, body_locator from trace_body where project_id = $1 and trace_id = any($2)
