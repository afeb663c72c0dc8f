-- Disables an endpoint, with the reason for people, unless a person has changed its address ($4) or has enabled it again since: then
-- its failures ($5) are counted from zero.
update webhook_endpoint set enabled = false, disabled_reason = $3, disabled_at = now()
where project_id = $1 and endpoint_id = $2 and enabled and url = $4 and failures >= $5
