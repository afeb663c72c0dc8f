-- Runs that a judge and a person have both reviewed, and on how many of them they agree. As a run has one live
-- verdict, one of the two was replaced.
with recent as materialized (
  select review_id, trace_id, passed, starts_with(reviewer, 'judge:') as by_judge, withdrawn_at from review
  where project_id = $1
  order by review_id desc
  limit $2
), judged as (
  select distinct on (trace_id) trace_id, passed from recent where by_judge order by trace_id, review_id desc
), checked as (
  select distinct on (trace_id) trace_id, passed from recent
  where not by_judge and withdrawn_at is null
  order by trace_id, review_id desc
)
select (select count(*) from judged) as judged, count(*) as compared,
       count(*) filter (where judged.passed = checked.passed) as agreed
from judged join checked on checked.trace_id = judged.trace_id
