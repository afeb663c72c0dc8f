-- Sets the review of runs that have none and starts learning.
update trace_state s set ingest = $4, review_id = sent.review_id, reviewed = false, memory_id = null, attempts = 0,
                         failures = 0, last_error = null, updated_at = now()
from unnest($2::uuid[], $3::uuid[]) as sent (trace_id, review_id)
where s.project_id = $1 and s.trace_id = sent.trace_id and s.trace_id = any($2::uuid[])
