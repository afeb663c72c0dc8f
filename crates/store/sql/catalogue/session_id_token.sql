-- The ID token of a session, for the sign-out at the provider.
select id_token from session where session_id = $1
