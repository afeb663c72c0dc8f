-- The delivery log of an endpoint before a cursor, newest first; all or those in one state.
select d.delivery_id, d.event_id, d.type, d.subject, d.state, d.next_at, d.attempts, d.created_at, d.finished_at
from webhook_delivery d
where d.project_id = $1 and d.endpoint_id = $2 and d.delivery_id < $3 and ($4::smallint is null or d.state = $4)
order by d.delivery_id desc
limit $5
