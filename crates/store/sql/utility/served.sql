-- The memories that went out under these receipts.
select retrieval_id, memory_ids[1:served] from retrieval where project_id = $1 and retrieval_id = any($2)
