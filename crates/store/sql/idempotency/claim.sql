-- Takes an idempotency key, with the answer if it is already known. A second call with the same key waits here until the
-- first one commits, and then gets no row.
insert into idempotency (project_id, key, request_digest, answer)
values ($1, $2, $3, $4)
on conflict (project_id, key) do nothing
returning true
