-- Returns jobs that a stopping worker did not finish. They are first in their lane. One that was queued again while it ran waits
-- until that time.
update job j
set worker = null, turn = null, again_at = null, run_at = coalesce(j.again_at, j.run_at),
    ready_at = case when j.again_at is null then j.ready_at end
from unnest($1::uuid[], $2::bigint[], $3::int[], $4::smallint[], $5::uuid[]) as given (worker, turn, project_id, kind, subject)
where j.project_id = given.project_id and j.kind = given.kind and j.subject = given.subject
  and j.worker = given.worker and j.turn = given.turn
