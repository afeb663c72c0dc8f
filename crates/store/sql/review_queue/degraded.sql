-- Which of these receipts were of searches by words, because there was no vector.
select retrieval_id from retrieval where project_id = $1 and retrieval_id = any($2::uuid[]) and degraded
