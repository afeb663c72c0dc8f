-- Whether a run has a verdict; no row when there is no such run. Held until the transaction ends, so that it does not
-- get one in between.
select review_id is not null from trace_state where project_id = $1 and trace_id = $2 for update
