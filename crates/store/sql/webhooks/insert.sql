-- Stores a new endpoint, with its queue row and the one that counts runs which wait for a review.
with queued as (
  insert into webhook_queue (project_id, endpoint_id)
  values ($1::int, $2::uuid), ($1::int, '00000000-0000-0000-0000-000000000000'::uuid)
  on conflict do nothing
)
insert into webhook_endpoint (project_id, endpoint_id, url, description, types, include_texts, secret, created_by)
values ($1, $2, $3, $4, $5, $6, $7, $8)
returning endpoint_id, url, description, types, include_texts, enabled, disabled_reason, disabled_at, failures, failing_since,
          created_by, created_at, case when previous_until > now() then previous_until end as previous_until
