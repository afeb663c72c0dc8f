-- A new link invalidates the unused earlier links of a member.
delete from sign_in_link where member_id = $1 and used_at is null
