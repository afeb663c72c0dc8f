-- The compressed trajectories of some runs, or where they are, with the smallest and largest id of the runs as in rows.sql.
-- Dropped bodies are missing.
select trace_id, body, body_locator from trace_body
where project_id = $1 and trace_id = any($2) and trace_id between $3 and $4
