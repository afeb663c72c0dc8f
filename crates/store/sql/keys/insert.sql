-- Stores a new key, unless the project was deleted in the meantime. Project 0 means no project: a master key.
insert into api_key (key_id, public_id, digest, project_id, label, scopes, environment, trust, created_by, expires_at)
select $2, $3, $4, nullif($1, 0), $5, $6, $7, $8, $9, $10
where $1 = 0 or exists (select from project where project_id = $1 and deleted_at is null)
returning key_id, public_id, project_id, label, scopes, environment, trust, created_at, last_used_at, expires_at,
          revoked_at, coalesce(expires_at <= now(), false) as expired
