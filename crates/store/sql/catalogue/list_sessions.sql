-- Live sessions of one member or of all members, newest first.
select s.session_id, s.digest, s.member_id, m.name, s.user_agent, s.created_at, s.last_seen_at, s.expires_at
from session s join member m on m.member_id = s.member_id
where ($1::uuid is null or s.member_id = $1) and m.disabled_at is null
  and s.revoked_at is null and s.expires_at > now() and s.last_seen_at > now() - make_interval(secs => $2)
order by s.session_id desc
limit 1000
