-- Replaces the signing secret of an endpoint. The old one is used too for $4 seconds.
update webhook_endpoint
set secret = $3, previous_secret = case when $4::float8 > 0 then secret end,
    previous_until = case when $4::float8 > 0 then now() + make_interval(secs => $4::float8) end
where project_id = $1 and endpoint_id = $2
returning endpoint_id, url, description, types, include_texts, enabled, disabled_reason, disabled_at, failures, failing_since,
          created_by, created_at, case when previous_until > now() then previous_until end as previous_until
