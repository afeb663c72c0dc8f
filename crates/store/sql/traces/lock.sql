-- Locks runs before their removal. Concurrent writers of reviews, lessons or judgements have then ended, and the next
-- statement finds what they wrote; later writers find no run.
select from trace t
join trace_state s on s.project_id = t.project_id and s.trace_id = t.trace_id
where t.project_id = $1 and t.trace_id = any($2) and s.trace_id = any($2)
order by t.trace_id
for update of t, s
