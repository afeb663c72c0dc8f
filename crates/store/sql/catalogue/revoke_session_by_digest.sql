-- Ends the earlier session of a browser that signs in again, because a browser has at most one.
update session set revoked_at = coalesce(revoked_at, now()), id_token = null where digest = $1
