-- The deliveries of an endpoint that are due, the longest due first: at most one of each subject, because the others have no time. Types
-- that this version does not know ($4 are those it knows) wait for a newer one. `age` is the time since the first attempt, or since a
-- person last enabled the endpoint or changed its address.
select d.delivery_id, d.event_id, d.attempts, d.age, d.type, e.data, e.created_at
from (select w.delivery_id, w.event_id, w.type, w.next_at, jsonb_array_length(w.attempts) as attempts,
             case when w.attempts = '[]' then 0
                  else extract(epoch from now() - greatest((w.attempts -> 0 ->> 'at')::timestamptz, p.resumed_at)) end::float8 as age
      from webhook_delivery w
      join webhook_endpoint p on p.project_id = $1 and p.endpoint_id = $2
      where w.project_id = $1 and w.endpoint_id = $2 and w.state = 0 and w.next_at <= now() and w.type & $4::int = w.type
      order by w.next_at limit $3) as d
left join webhook_event e on e.project_id = $1 and e.event_id = d.event_id
order by d.next_at
