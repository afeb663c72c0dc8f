-- The review of a run and the memories that it would move. Locks the state, because only one caller may change a review.
select s.review_id, t.linked
from trace_state s join trace t on t.project_id = s.project_id and t.trace_id = s.trace_id
where s.project_id = $1 and s.trace_id = $2
for update of s
