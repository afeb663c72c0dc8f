-- Takes an idempotency key, together with the answer where it is known already. A second call under
-- the same key waits here until the first one commits, and then finds no row returned.
insert into idempotency (project_id, key, request_digest, answer)
values ($1, $2, $3, $4)
on conflict (project_id, key) do nothing
returning true
