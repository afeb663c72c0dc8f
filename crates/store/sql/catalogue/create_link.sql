-- A way in for one person, once; without a member, for the first one of all. Says until when.
insert into sign_in_link (digest, member_id, created_by, expires_at)
values ($1, $2, $3, now() + make_interval(secs => $4))
returning expires_at
