-- Takes the idempotency keys of several calls and returns those that were free.
insert into idempotency (project_id, key, request_digest, answer)
select $1, key, request_digest, answer
from unnest($2::text[], $3::bytea[], $4::jsonb[]) as sent (key, request_digest, answer)
on conflict (project_id, key) do nothing
returning key
