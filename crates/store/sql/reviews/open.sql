-- Which of these runs have no review, and what one would move. Locks their states in one order.
select s.trace_id, t.linked
from trace_state s join trace t on t.project_id = s.project_id and t.trace_id = s.trace_id
where s.project_id = $1 and s.trace_id = any($2::uuid[]) and t.trace_id = any($2::uuid[]) and not s.reviewed and s.review_id is null
order by s.trace_id
for update of s
