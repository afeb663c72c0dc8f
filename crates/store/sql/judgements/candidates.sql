-- A page of runs without a review, newest first, and which of them wait for the judge: no judgement and no job, or a
-- judgement that should have become a review. Pages limit the work when many runs stay pending.
with page as (
  select s.trace_id from trace_state s
  where s.project_id = $1 and not s.reviewed and s.review_id is null
    and s.trace_id < least($2::uuid, uuid_at(now() - make_interval(secs => $3::float8)))
  order by s.trace_id desc
  limit $4
)
select page.trace_id,
       (j.trace_id is null
        or (j.applied_review is null and not j.blind and j.verdict < 2 and j.model = $5 and j.rubric_digest = $6))
       and not exists (select from job q where q.project_id = $1 and q.kind = 10 and q.subject = page.trace_id) as waits
from page left join judgement j on j.project_id = $1 and j.trace_id = page.trace_id
order by page.trace_id desc
