-- The newest runs of one review status before a cursor. The index on the state finds them, so a short queue in a long
-- history is cheap.
select trace_id
from trace_state
where project_id = $1 and trace_id < $2 and reviewed = $4
  -- A reviewed run waits for its memory, not for a reviewer.
  and ($4 or review_id is null)
order by trace_id desc
limit $3
