-- Uses a link once. Of concurrent callers, the row lock lets one succeed. `$2` is false only in a test of this rule.
update sign_in_link l set used_at = now()
from member m
where l.digest = $1 and (l.used_at is null or not $2) and l.expires_at > now()
  and m.member_id = l.member_id and m.disabled_at is null
returning m.member_id, m.name, m.role, m.projects, member_roles(m.member_id) as project_roles, m.created_by, m.created_at, m.disabled_at,
          null::timestamptz as last_seen_at
