-- The compressed trajectories of some runs, with their smallest and largest id as in rows.sql. Dropped bodies are missing.
select trace_id, body from trace_body where project_id = $1 and trace_id = any($2) and trace_id between $3 and $4
