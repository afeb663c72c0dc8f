-- Finds a member by name, sets the role if one is given, and enables the member again.
update member set role = coalesce($2, role), disabled_at = null where lower(name) = lower($1)
returning member_id, name, role, projects, created_by, created_at, disabled_at, null::timestamptz as last_seen_at
