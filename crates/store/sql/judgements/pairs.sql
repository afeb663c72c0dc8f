-- The newest runs with a blind judgement and a review by a person: how often each said what. Only judgements with the
-- same model and rubric count.
with pairs as (
  select j.verdict = 1 as judged_pass, r.passed
  from judgement j
  join review r on r.project_id = j.project_id and r.trace_id = j.trace_id
                and r.superseded_by is null and r.withdrawn_at is null
  where j.project_id = $1 and r.project_id = $1 and j.blind and j.verdict < 2 and j.model = $2 and j.rubric_digest = $3
    and is_by_person(r.reviewer)
  order by j.trace_id desc
  limit $4
)
select count(*) filter (where passed) as passes, count(*) filter (where passed and judged_pass) as agreed_passes,
       count(*) filter (where not passed) as fails, count(*) filter (where not passed and not judged_pass) as agreed_fails
from pairs
