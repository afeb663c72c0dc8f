-- Locks the state of a run with this review. States are locked before memories.
select 1 from trace_state where project_id = $1 and trace_id = $2 and review_id = $3 for update
