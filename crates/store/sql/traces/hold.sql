-- Holds runs that are about to be removed. Whoever was giving one a verdict, a lesson or a judgement has ended by then, and
-- what they wrote is found by the next statement; whoever comes later finds no run.
select from trace t
join trace_state s on s.project_id = t.project_id and s.trace_id = t.trace_id
where t.project_id = $1 and t.trace_id = any($2)
order by t.trace_id
for update of t, s
