-- A deliberate defect of fault runs: claims the oldest jobs of all projects, so one project can delay the others.
with ignored as (select $4::int, $5::int[], $6::int[], $7::int, $8::int),
oldest as (
  select j.project_id, j.kind, j.subject from job j
  where j.ready_at is not null and j.worker is null order by j.ready_at, j.subject limit $3::int for update skip locked
)
update job j set worker = $1::uuid, turn = $2::bigint, attempts = j.attempts + 1
from oldest o where j.project_id = o.project_id and j.kind = o.kind and j.subject = o.subject
returning (j.kind / 10)::smallint as urgency, j.project_id, j.kind, j.subject, j.failures, 0 as missed
