-- Which of these runs got memories from a search by words. Their receipts are those that they named or that were inferred.
select t.trace_id
from trace t join retrieval r on r.project_id = $1 and r.retrieval_id = coalesce(t.linked_retrieval, t.retrieval_id)
where t.project_id = $1 and t.trace_id = any($2::uuid[]) and r.degraded
