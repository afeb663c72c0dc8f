-- The trust of the keys that sent and reviewed a run, and what a review of it would move.
select t.trust, r.trust as review_trust, t.linked, t.linked_retrieval
from trace t
join trace_state s on s.project_id = $1 and s.trace_id = t.trace_id
left join review r on r.project_id = $1 and r.review_id = s.review_id
where t.project_id = $1 and t.trace_id = $2
