-- The run that has waited longest for a review.
select t.trace_id, t.created_at
from (select project_id, trace_id from trace_state
      where project_id = $1 and not reviewed and review_id is null
      order by trace_id
      limit 1) s
join trace t on t.project_id = s.project_id and t.trace_id = s.trace_id
