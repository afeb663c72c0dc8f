-- Stores a new key, unless in the meantime the project was deleted, the key that creates it was revoked or has expired, or
-- the member who creates it was disabled. Project 0 means no project: a master key.
with parent as (
  select key_id from api_key
  where key_id = $11 and revoked_at is null and (expires_at is null or expires_at > now())
  for share
), creator as (
  select disabled_at from member where starts_with($9, 'member:') and lower(name) = lower(substr($9, 8)) for share
)
insert into api_key (key_id, public_id, digest, project_id, label, scopes, environment, trust, created_by, expires_at,
                     parent_key, address_ranges)
select $2, $3, $4, nullif($1, 0), $5, $6, $7, $8, $9, $10, $11, $12::text[]::cidr[]
where ($1 = 0 or exists (select from project where project_id = $1 and deleted_at is null))
  and ($11::uuid is null or exists (select from parent))
  and not exists (select from creator where disabled_at is not null)
returning key_id, public_id, project_id, label, scopes, environment, trust, created_by, created_at, last_used_at, expires_at,
          revoked_at, parent_key, address_ranges::text[] as address_ranges, coalesce(expires_at <= now(), false) as expired
