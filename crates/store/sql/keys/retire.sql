-- Ends a rotated key after the overlap, or earlier if it expires earlier. A key that is no longer valid is not rotated.
update api_key set expires_at = least(expires_at, now() + make_interval(secs => $3))
where key_id = $2 and (project_id = $1 or ($1 = 0 and project_id is null))
  and revoked_at is null and (expires_at is null or expires_at > now())
returning key_id, public_id, project_id, label, scopes, environment, trust, created_by, created_at, last_used_at, expires_at,
          revoked_at, parent_key, address_ranges::text[] as address_ranges, coalesce(expires_at <= now(), false) as expired
