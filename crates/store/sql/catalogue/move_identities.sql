-- Moves the identities of one member to another. Returns how many.
update member_identity set member_id = $2, created_by = $3, created_at = now(), removed_at = null
where member_id = $1
