-- One member, whoever they are and whether or not they may come in.
select member_id, name, role, projects, created_by, created_at, disabled_at, null::timestamptz as last_seen_at
from member where member_id = $1
