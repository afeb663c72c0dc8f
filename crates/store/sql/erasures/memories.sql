-- The memories that were learned from runs, by any review.
select memory_id from memory where project_id = $1 and source_trace = any($2)
