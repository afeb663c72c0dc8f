-- Starts a session with an expiry time.
insert into session (session_id, digest, member_id, user_agent, expires_at, provider, id_token)
values ($1, $2, $3, $4, now() + make_interval(secs => $5), $6, $7)
