-- Secrets of webhooks after an id that do not start with the marker of encrypted texts.
select endpoint_id, secret from webhook_endpoint
where project_id = $1 and endpoint_id > $2 and not starts_with(secret, $3)
order by endpoint_id limit $4
