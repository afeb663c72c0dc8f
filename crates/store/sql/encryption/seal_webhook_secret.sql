-- Replaces the secret of a webhook by its encrypted form, unless it was replaced in between.
update webhook_endpoint set secret = $3 where project_id = $1 and endpoint_id = $2 and secret = $4
