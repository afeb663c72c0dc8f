-- The source of a memory: run, review and key. Old runs may be missing.
select t.task, t.created_at as ran_at, r.passed, r.review_id, r.feedback, r.reviewer, r.created_at as reviewed_at,
       r.superseded_by is null and r.withdrawn_at is null as live, k.public_id, k.label
from memory m
left join trace t on t.project_id = $1 and t.trace_id = m.source_trace and t.erased_at is null
left join review r on r.project_id = $1 and r.review_id = m.source_review
left join api_key k on k.key_id = m.author_key and (k.project_id = $1 or k.project_id is null)
where m.project_id = $1 and m.memory_id = $2
