-- Updates the time of last use of a valid session, at most once a minute.
update session set last_seen_at = now()
where session_id = $1 and revoked_at is null and expires_at > now() and last_seen_at < now() - interval '1 minute'
