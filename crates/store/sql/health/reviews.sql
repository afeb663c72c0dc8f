-- The newest live reviews: how many explain a failure too briefly, and how far learning has come. A lesson that came
-- with the review is explanation enough.
with recent as materialized (
  select review_id, trace_id, passed, authored is not null as authored, feedback from review
  where project_id = $1 and superseded_by is null and withdrawn_at is null
  order by review_id desc
  limit $2
)
select count(*) as reviews, count(*) filter (where not r.passed) as fails,
       count(*) filter (where not r.passed and not r.authored
                        -- An encrypted text starts with the number of its characters.
                        and coalesce(substring(r.feedback from '^reflect-sealed-1:([0-9]{1,9}):')::int,
                                     char_length(trim(coalesce(r.feedback, '')))) < $3) as vague,
       count(*) filter (where s.ingest = 3) as given_up,
       count(*) filter (where s.ingest <> 3 and not s.reviewed and s.last_error is not null) as waiting,
       (array_agg(s.last_error order by s.updated_at desc)
          filter (where s.last_error is not null and not s.reviewed))[1] as last_error
from recent r
left join trace_state s on s.project_id = $1 and s.trace_id = r.trace_id and s.review_id = r.review_id
