-- Changes an endpoint. Null leaves a value as it is. An endpoint that is enabled, or gets another address, has no failures.
update webhook_endpoint
set url = coalesce($3, url), description = coalesce($4, description), types = coalesce($5, types),
    include_texts = coalesce($6, include_texts), enabled = coalesce($7, enabled),
    disabled_reason = case when $7 is null then disabled_reason end,
    disabled_at = case when $7 is null then disabled_at when not $7 then now() end,
    resumed_at = case when $7 or $3 is not null then now() else resumed_at end,
    failures = case when $7 or $3 is not null then 0 else failures end,
    failing_since = case when $7 or $3 is not null then null else failing_since end
where project_id = $1 and endpoint_id = $2
returning endpoint_id, url, description, types, include_texts, enabled, disabled_reason, disabled_at, failures, failing_since,
          created_by, created_at, case when previous_until > now() then previous_until end as previous_until
