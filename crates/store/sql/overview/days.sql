-- Results of runs by the day of their review.
select (r.created_at at time zone 'utc')::date as day, count(*) as reviews, count(*) filter (where r.passed) as passed
from (select created_at, passed from review
      where project_id = $1 and review_id >= uuid_at(now() - interval '30 days')
        and superseded_by is null and withdrawn_at is null
      order by review_id desc
      limit $2) r
group by 1
order by 1
