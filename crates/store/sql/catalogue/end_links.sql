-- A new link ends those that were made before it and not used.
delete from sign_in_link where member_id = $1 and used_at is null
