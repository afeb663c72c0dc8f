-- Runs with their states and live reviews. Bodies are read separately. The smallest and the largest id ($3, $4) tell a kept
-- plan which partitions to read; an array does not.
select t.trace_id, t.task, t.final_response, t.model, t.metadata, t.retrieved, t.retrieval_id, t.reference_context,
       t.link, t.linked, t.used, t.arm, t.keys,
       t.body_codec, t.body_length, t.body_digest, least(t.created_at, uuid_time(t.trace_id)) as created_at,
       s.ingest, s.reviewed, s.memory_id, s.attempts, s.last_error,
       r.review_id, r.passed, r.feedback, r.alpha, r.mode, r.authored, r.created_at as reviewed_at,
       r.reviewer, r.learns_at
from trace t
join trace_state s on s.project_id = t.project_id and s.trace_id = t.trace_id
left join review r on r.project_id = s.project_id and r.review_id = s.review_id
where t.project_id = $1 and t.trace_id = any($2::uuid[]) and t.trace_id between $3 and $4
  and s.trace_id = any($2::uuid[]) and s.trace_id between $3 and $4
