-- Updates the time of last use of a key whose secret was verified, at most once a minute.
update api_key set last_used_at = now()
where key_id = $1 and revoked_at is null and (last_used_at is null or last_used_at < now() - interval '1 minute')
