-- The newest runs that are old enough to have a review, and how many have none.
select count(*) as runs, count(*) filter (where ripe.review_id is null) as unreviewed
from (select review_id from trace_state
      where project_id = $1 and trace_id < uuid_at(now() - make_interval(days => $2))
        and trace_id >= uuid_at(now() - make_interval(days => $3))
      order by trace_id desc
      limit $4) ripe
