-- Revokes every key of a deleted project.
update api_key set revoked_at = now() where project_id = $1 and revoked_at is null
