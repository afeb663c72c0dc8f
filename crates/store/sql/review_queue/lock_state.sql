-- Whether a run has a review; no row if there is no such run. Locks its state until the transaction ends.
select review_id is not null from trace_state where project_id = $1 and trace_id = $2 for update
