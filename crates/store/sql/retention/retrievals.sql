-- Removes a batch of receipts older than the project's retention.
delete from retrieval where project_id = $1 and retrieval_id in (
  select retrieval_id from retrieval where project_id = $1 and retrieval_id < uuid_at(now() - make_interval(days => $2))
  order by retrieval_id limit 1000)
