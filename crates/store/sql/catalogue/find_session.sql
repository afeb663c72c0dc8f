-- Finds a session by the digest of its cookie. The clock of the database decides what has expired. Changes nothing, so
-- that it also works while the database is read-only.
select s.session_id, s.created_at as session_created_at, s.expires_at, s.provider,
       s.revoked_at is null and s.expires_at > now() and s.last_seen_at > now() - make_interval(secs => $2)
         and m.disabled_at is null as live,
       s.last_seen_at < now() - interval '1 minute' as unnoted,
       m.member_id, m.name, m.role, m.projects, member_roles(m.member_id) as project_roles, m.created_by, m.created_at,
       m.disabled_at, s.last_seen_at
from session s join member m on m.member_id = s.member_id
where s.digest = $1
