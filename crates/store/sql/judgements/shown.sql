-- The judgement of a run as a reviewer may see it: a blind one only after the review.
select j.trace_id, j.verdict, j.feedback, j.confidence, j.model, j.rubric_digest, j.blind, j.applied_review, j.created_at
from judgement j join trace_state s on s.project_id = j.project_id and s.trace_id = j.trace_id
where j.project_id = $1 and j.trace_id = $2 and (not j.blind or s.review_id is not null)
