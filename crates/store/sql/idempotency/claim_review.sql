-- Takes the idempotency key of a review call. Waits and returns like `claim.sql`.
insert into idempotency (project_id, key, request_digest, reviewed)
values ($1, $2, $3, $4)
on conflict (project_id, key) do nothing
returning true
