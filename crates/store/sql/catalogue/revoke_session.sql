-- Ends a session of one member, or of any member. A second call changes nothing.
update session s set revoked_at = coalesce(s.revoked_at, now()), id_token = null
from member m
where s.session_id = $1 and ($2::uuid is null or s.member_id = $2) and m.member_id = s.member_id
returning s.session_id, s.digest, s.member_id, m.name, s.user_agent, s.created_at, s.last_seen_at, s.expires_at
