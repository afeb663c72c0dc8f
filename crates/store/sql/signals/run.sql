-- A run as far as its signals need it: whether they wait, its review, and the time of the database. No row if the run does not
-- exist.
select w.change, w.until, r.review_id, r.passed, r.reviewer, r.trust, t.task, t.linked, t.linked_retrieval, now() as now
from trace_state s
join trace t on t.project_id = $1 and t.trace_id = $2
left join signal_wait w on w.project_id = $1 and w.trace_id = $2
left join review r on r.project_id = $1 and r.review_id = s.review_id
where s.project_id = $1 and s.trace_id = $2
