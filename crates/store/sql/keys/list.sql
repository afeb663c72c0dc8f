-- The keys of a project, newest first, with the master keys on request.
select key_id, public_id, project_id, label, scopes, environment, trust, created_by, created_at, last_used_at, expires_at,
       revoked_at, parent_key, address_ranges::text[] as address_ranges, coalesce(expires_at <= now(), false) as expired
from api_key
where (project_id = $1 or ($2 and project_id is null)) and key_id < $3
order by key_id desc
limit $4
