-- Stores events, in the transaction of their cause.
insert into webhook_event (project_id, event_id, type, subject, data)
select $1, event_id, type, subject, data
from unnest($2::uuid[], $3::int[], $4::text[], $5::jsonb[]) as sent (event_id, type, subject, data)
