-- Finds a member by name and enables the member again.
update member set disabled_at = null where lower(name) = lower($1) returning member_id
