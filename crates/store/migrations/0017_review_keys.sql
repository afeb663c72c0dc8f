-- Idempotency keys of calls that give a review or take one back. They are answered with the run as it is by then, so no
-- answer of theirs is kept; which run they were about is, because the key may hold words and an erasure takes it along.
-- A column and no expression on the answer: see `subject` of `trace`.
alter table idempotency add reviewed uuid;
create index idempotency_reviewed on idempotency (project_id, reviewed) where reviewed is not null;
