-- Removes the receipts that the runs were linked to, and all receipts for the same task.
delete from retrieval where project_id = $1 and (retrieval_id = any($2) or task_digest = any($3))
