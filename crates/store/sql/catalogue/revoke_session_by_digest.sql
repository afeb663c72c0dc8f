-- Ends the session of a browser that signs in anew, so that it never has two.
update session set revoked_at = coalesce(revoked_at, now()) where digest = $1
