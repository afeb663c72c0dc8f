-- Finds the caller before any project is known. Changes nothing: the secret is not verified yet.
select k.key_id, k.public_id, k.digest, k.project_id, k.scopes, k.trust, k.expires_at,
       k.address_ranges::text[] as address_ranges, p.slug,
       k.revoked_at is not null or p.deleted_at is not null as revoked,
       coalesce(k.expires_at <= now(), false) as expired
from api_key k left join project p on p.project_id = k.project_id
where k.public_id = $1
