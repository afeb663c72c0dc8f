-- The signals that were stored under idempotency keys.
select s.once, s.signal_id, s.content_digest from signal s where s.project_id = $1 and s.once = any($2::bytea[])
