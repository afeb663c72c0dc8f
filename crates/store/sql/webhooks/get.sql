-- One endpoint.
select endpoint_id, url, description, types, include_texts, enabled, disabled_reason, disabled_at, failures, failing_since,
       created_by, created_at, case when previous_until > now() then previous_until end as previous_until
from webhook_endpoint where project_id = $1 and endpoint_id = $2
