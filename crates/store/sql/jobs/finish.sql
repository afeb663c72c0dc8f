-- Ends jobs. One that was queued again while it ran waits for its next run, the others are removed. A claim that another worker
-- has taken over has no effect. Returns the jobs that another transaction has locked; they have to be ended later.
with ended as (
  select * from unnest($1::uuid[], $2::bigint[], $3::int[], $4::smallint[], $5::uuid[])
    as given (worker, turn, project_id, kind, subject)
), held as materialized (
  select j.project_id, j.kind, j.subject, j.again_at from job j
  join ended e on e.project_id = j.project_id and e.kind = j.kind and e.subject = j.subject
  where j.worker = e.worker and j.turn = e.turn
  for update of j skip locked
), repeated as (
  update job j
  set worker = null, turn = null, attempts = 0, again_at = null, last_error = null, run_at = h.again_at,
      ready_at = case when h.again_at <= now() then now() end
  from held h
  where j.project_id = h.project_id and j.kind = h.kind and j.subject = h.subject and h.again_at is not null
), removed as (
  delete from job j using held h
  where j.project_id = h.project_id and j.kind = h.kind and j.subject = h.subject and h.again_at is null
)
select j.project_id, j.kind, j.subject from job j
join ended e on e.project_id = j.project_id and e.kind = j.kind and e.subject = j.subject
where j.worker = e.worker and j.turn = e.turn
  and not exists (select from held h where h.project_id = j.project_id and h.kind = j.kind and h.subject = j.subject)
