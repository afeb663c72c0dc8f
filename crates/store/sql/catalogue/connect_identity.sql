-- Connects an identity to a member. An identity belongs to one member, so an earlier connection ends.
insert into member_identity (issuer, subject, member_id, created_by) values ($1, $2, $3, $4)
on conflict (issuer, subject) do update set member_id = $3, created_by = $4, created_at = now(), removed_at = null
