-- Uses a link. Of concurrent callers, the row lock lets one succeed.
update sign_in_link l set used_at = now()
from member m
where l.digest = $1 and l.used_at is null and l.expires_at > now()
  and m.member_id = l.member_id and m.disabled_at is null
returning m.member_id, m.name, m.role, m.projects, member_roles(m.member_id) as project_roles, m.created_by, m.created_at, m.disabled_at,
          null::timestamptz as last_seen_at
