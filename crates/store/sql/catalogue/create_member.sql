-- Creates a member. The name is unique.
insert into member (member_id, name, role, projects, created_by) values ($1, $2, $3, $4, $5)
returning member_id, name, role, projects, created_by, created_at, disabled_at, null::timestamptz as last_seen_at
