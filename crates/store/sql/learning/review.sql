-- The review to learn from. No row if its project is deleted.
select r.trace_id, r.passed, r.feedback, r.authored, r.reviewer, r.trust
from review r
where r.project_id = $1 and r.review_id = $2 and (select p.deleted_at is null from project p where p.project_id = $1)
