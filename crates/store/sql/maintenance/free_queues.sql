-- Repairs the queue after workers died or were considered dead. Such a worker may finish its job later; its successor then
-- has nothing to finish, and the named queue would stay locked. An interrupted job must run before later ones. A job
-- that failed because the database was unavailable is retried at once: the queue's own delay grows without limit, while
-- all other delays are set by Reflect and leave no error here.
with freed as (
  update reflect_jobs._private_job_queues q set locked_by = null, locked_at = null
  where q.locked_at is not null and not exists (
    select from reflect_jobs._private_jobs j where j.job_queue_id = q.id and j.locked_by = q.locked_by)
)
update reflect_jobs._private_jobs j
set run_at = case when interrupted then j.created_at else now() + interval '5 seconds' end,
    last_error = case when interrupted then null else j.last_error end
from (select id, last_error = 'Job recovered after worker interruption' as interrupted
      from reflect_jobs._private_jobs where locked_at is null and last_error is not null) as left_behind
where j.id = left_behind.id and j.locked_at is null
  and ((interrupted and j.run_at > j.created_at) or (not interrupted and j.run_at > now() + interval '10 seconds'))
