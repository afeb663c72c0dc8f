-- Creates a one-time sign-in link. Without a member it creates the first member. Returns when it expires.
insert into sign_in_link (digest, member_id, created_by, expires_at)
values ($1, $2, $3, now() + make_interval(secs => $4))
returning expires_at
