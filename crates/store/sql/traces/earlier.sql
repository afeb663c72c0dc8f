-- What is stored under an id that is sent again. A deleted run has no state. The lock is a write, so the commit waits for
-- synchronous standbys, as with a repeated idempotency key.
select t.content_digest, s.ingest, s.memory_id, t.erased_at is not null as erased
from trace t left join trace_state s on s.project_id = t.project_id and s.trace_id = t.trace_id
where t.project_id = $1 and t.trace_id = $2
for share of t
