-- The progress of an erasure.
select erasure_id, state, keep_memories, traces, removed, created_at, finished_at
from erasure where project_id = $1 and erasure_id = $2
