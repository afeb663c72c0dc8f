-- Marks a run as being learned from and returns the input. No row if nothing is left to learn: the review changed,
-- another worker finished, or the project is deleted.
update trace_state s set ingest = 1, attempts = s.attempts + 1, updated_at = now()
from review r, trace t, project p
where p.project_id = $1 and p.deleted_at is null and s.project_id = $1 and r.project_id = $1 and t.project_id = $1
  and r.review_id = $2 and s.trace_id = r.trace_id and t.trace_id = r.trace_id
  and s.review_id = r.review_id and not s.reviewed
returning r.review_id, s.attempts, s.failures, t.trace_id, t.task, t.final_response, t.metadata, t.reference_context, t.linked, t.used, t.key_id, least(t.trust, r.trust) as trust,
          t.body_codec, t.body_length, t.body_digest, r.passed, r.feedback, r.authored, r.reviewer
