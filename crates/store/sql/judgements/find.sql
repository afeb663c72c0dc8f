-- The judgement of a run.
select trace_id, verdict, feedback, confidence, model, rubric_digest, blind, applied_review, created_at
from judgement where project_id = $1 and trace_id = $2
