-- Ends all sessions of a member.
update session set revoked_at = now(), id_token = null where member_id = $1 and revoked_at is null returning digest
