-- The member of an identity, and whether the provider removed the member's roles.
select member_id, removed_at is not null as removed from member_identity where issuer = $1 and subject = $2
