-- Disables an endpoint, with the reason for people.
update webhook_endpoint set enabled = false, disabled_reason = $3, disabled_at = now()
where project_id = $1 and endpoint_id = $2 and enabled
