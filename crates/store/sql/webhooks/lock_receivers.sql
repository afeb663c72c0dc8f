-- The endpoints that receive some of these types of events, and the position of the last delivery of each. Their queue rows are
-- locked in one order until the transaction ends, so the positions of one endpoint follow the order of commits.
select q.endpoint_id, e.types, q.last_position
from webhook_queue q
join webhook_endpoint e on e.project_id = q.project_id and e.endpoint_id = q.endpoint_id
where q.project_id = $1 and e.project_id = $1 and e.enabled and e.types & $2::int <> 0
order by q.endpoint_id
for update of q
