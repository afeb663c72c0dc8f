-- The deliveries of an endpoint that are due, the longest due first: at most one of each subject, because the others have no time.
-- `age` is the time since the first attempt.
select d.delivery_id, d.event_id, d.attempts, d.age, e.type, e.data, e.created_at
from (select delivery_id, event_id, next_at, jsonb_array_length(attempts) as attempts,
             coalesce(extract(epoch from now() - (attempts -> 0 ->> 'at')::timestamptz), 0)::float8 as age
      from webhook_delivery
      where project_id = $1 and endpoint_id = $2 and state = 0 and next_at <= now()
      order by next_at limit $3) as d
left join webhook_event e on e.project_id = $1 and e.event_id = d.event_id
order by d.next_at
