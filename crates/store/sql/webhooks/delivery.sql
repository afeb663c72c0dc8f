-- One delivery of an endpoint, with the data of its event.
select d.delivery_id, d.event_id, d.type, d.subject, d.state, d.next_at, d.attempts, d.created_at, d.finished_at, e.data,
       e.created_at as happened_at
from webhook_delivery d
left join webhook_event e on e.project_id = $1 and e.event_id = d.event_id
where d.project_id = $1 and d.endpoint_id = $2 and d.delivery_id = $3
