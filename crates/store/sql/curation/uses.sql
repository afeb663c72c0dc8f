-- Reviewed runs that had a memory, newest review first, with its position on the receipt if that is still stored.
select e.review_id, r.trace_id, t.task, e.reward, e.used, coalesce(r.created_at, e.created_at) as created_at,
       array_position(x.memory_ids, e.memory_id) as place,
       -- Receipts of earlier releases have similarities instead of scores.
       coalesce(x.scores[array_position(x.memory_ids, e.memory_id)] / 32767.0,
                x.similarities[array_position(x.memory_ids, e.memory_id)])::real as similarity
from utility_event e
left join review r on r.project_id = $1 and r.review_id = e.review_id
left join trace t on t.project_id = $1 and t.trace_id = r.trace_id and t.erased_at is null
left join retrieval x on x.project_id = $1 and x.retrieval_id = t.linked_retrieval
where e.project_id = $1 and e.memory_id = $2 and not e.withdrawn and e.review_id < $3
order by e.review_id desc
limit $4
