-- One member, disabled or not.
select member_id, name, role, projects, member_roles(member_id) as project_roles, created_by, created_at, disabled_at,
       null::timestamptz as last_seen_at
from member where member_id = $1
