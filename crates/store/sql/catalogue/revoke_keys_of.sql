-- Revokes the keys of a creator (`member:`, `key:` or `user:` and a name), and all keys that were created with these.
with recursive made as (
  select key_id, public_id from api_key where created_by = $1
  union
  select k.key_id, k.public_id
  from api_key k join made on k.parent_key = made.key_id or k.created_by = 'key:' || made.public_id
)
update api_key set revoked_at = now()
where revoked_at is null and key_id in (select key_id from made)
returning public_id
