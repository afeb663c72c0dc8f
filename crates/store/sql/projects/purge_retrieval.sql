-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from retrieval where project_id = $1 and retrieval_id in (select retrieval_id from retrieval where project_id = $1 limit 1000)
