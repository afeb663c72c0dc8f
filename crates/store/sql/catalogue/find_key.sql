-- Finds the caller before any project is known. Updates the time of last use at most once a minute.
with noted as (
  update api_key set last_used_at = now()
  where public_id = $1 and revoked_at is null
    and (last_used_at is null or last_used_at < now() - interval '1 minute')
)
select k.key_id, k.public_id, k.digest, k.project_id, k.scopes, k.trust, p.slug,
       k.revoked_at is not null or p.deleted_at is not null as revoked,
       coalesce(k.expires_at <= now(), false) as expired
from api_key k left join project p on p.project_id = k.project_id
where k.public_id = $1
