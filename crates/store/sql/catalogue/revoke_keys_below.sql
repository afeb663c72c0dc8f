-- Revokes the keys that were created with a key, and the keys below them.
with recursive below as (
  select key_id from api_key where parent_key = $1
  union
  select k.key_id from api_key k join below on k.parent_key = below.key_id
)
update api_key set revoked_at = now()
where revoked_at is null and key_id in (select key_id from below)
returning public_id
