-- The judgement of a run as a reviewer may see it: a blind one only after a review that signals did not give.
select j.trace_id, j.verdict, j.feedback, j.confidence, j.model, j.rubric_digest, j.blind, j.applied_review, j.created_at
from judgement j join trace_state s on s.project_id = j.project_id and s.trace_id = j.trace_id
where j.project_id = $1 and j.trace_id = $2 and (not j.blind
    or exists (select from review r
               where r.project_id = $1 and r.review_id = s.review_id and not starts_with(r.reviewer, 'signal:')))
