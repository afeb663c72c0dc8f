-- The compressed trajectories of some runs. Fewer rows than ids when old bodies were dropped.
select trace_id, body from trace_body where project_id = $1 and trace_id = any($2)
