-- Removes some of a deleted project's rows; run again until none is left.
delete from retrieval where project_id = $1 and retrieval_id in (select retrieval_id from retrieval where project_id = $1 limit 1000)
