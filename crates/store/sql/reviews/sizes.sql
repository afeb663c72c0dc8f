-- Which of these runs have no review, what one would move, and how much a model would have to read for each.
select s.trace_id, t.linked, t.body_length::bigint as trajectory, octet_length(t.task)::bigint as task,
       octet_length(coalesce(t.final_response, ''))::bigint as answer,
       octet_length(coalesce(t.reference_context, ''))::bigint as reference
from trace_state s join trace t on t.project_id = s.project_id and t.trace_id = s.trace_id
where s.project_id = $1 and s.trace_id = any($2::uuid[]) and t.trace_id = any($2::uuid[]) and not s.reviewed and s.review_id is null
