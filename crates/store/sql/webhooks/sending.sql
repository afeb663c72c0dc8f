-- What a process needs to send to an enabled endpoint.
select url, include_texts, secret, case when previous_until > now() then previous_secret end as previous_secret, failures
from webhook_endpoint
where project_id = $1 and endpoint_id = $2 and enabled
