-- A deliberate defect of fault runs: removes jobs that were queued again while they ran.
with ended as (
  select * from unnest($1::uuid[], $2::bigint[], $3::int[], $4::smallint[], $5::uuid[])
    as given (worker, turn, project_id, kind, subject)
), removed as (
  delete from job j using ended e
  where j.project_id = e.project_id and j.kind = e.kind and j.subject = e.subject and j.worker = e.worker and j.turn = e.turn
)
select project_id, kind, subject from ended where false
