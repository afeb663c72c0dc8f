-- Stores deliveries and makes their endpoints due. A delivery is due at once, unless an earlier one of its subject waits. The caller
-- holds the locks of the queue rows.
with sent as materialized (
  select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::text[], $7::bigint[])
    as given (delivery_id, endpoint_id, event_id, type, subject, position)
), stored as (
  insert into webhook_delivery (project_id, delivery_id, endpoint_id, event_id, type, subject, position, next_at)
  select $1, s.delivery_id, s.endpoint_id, s.event_id, s.type, s.subject, s.position,
         case when not exists (select from sent e
                               where e.endpoint_id = s.endpoint_id and e.subject = s.subject and e.position < s.position)
               and not exists (select from webhook_delivery w
                               where w.project_id = $1 and w.endpoint_id = s.endpoint_id and w.subject = s.subject and w.state = 0)
              then now() end
  from sent s
)
update webhook_queue q
set last_position = added.last_position, again = q.held_by is not null,
    due_at = case when q.held_by is not null then q.due_at else least(q.due_at, greatest(now(), q.paused_until)) end
from (select endpoint_id, max(position) as last_position from sent group by endpoint_id) as added
where q.project_id = $1 and q.endpoint_id = added.endpoint_id
