-- Results of runs by arm of the comparison and by whether they had memories. Only live reviews count. Without a start
-- time, all stored runs count.
select t.arm, t.link <> 0 as linked, count(*) as runs, count(r.review_id) as reviewed,
       count(*) filter (where r.passed) as passed
from trace t
left join review r on r.project_id = t.project_id and r.trace_id = t.trace_id
                  and r.superseded_by is null and r.withdrawn_at is null
where t.project_id = $1 and t.erased_at is null and t.trace_id >= uuid_at(greatest($2::timestamptz, timestamptz 'epoch'))
group by t.arm, t.link <> 0
