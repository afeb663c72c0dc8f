-- Which of these runs got memories from a search by words. Their receipts are those that they named or that were inferred.
select t.trace_id
from trace t join retrieval r on r.project_id = $1
  -- Not `coalesce`: with row security, an index cannot evaluate it.
  and r.retrieval_id = case when t.linked_retrieval is null then t.retrieval_id else t.linked_retrieval end
where t.project_id = $1 and t.trace_id = any($2::uuid[]) and r.degraded
