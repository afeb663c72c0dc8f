-- Disables or enables a member. A second call changes nothing.
update member set disabled_at = case when $2 then coalesce(disabled_at, now()) end where member_id = $1
returning member_id, name, role, projects, member_roles(member_id) as project_roles, created_by, created_at, disabled_at,
          null::timestamptz as last_seen_at
