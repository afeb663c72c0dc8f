-- Mends what the queue leaves behind after workers died or were taken for dead. A worker that was taken for
-- dead may finish its job after all; the one who took over then has nothing left to finish, and its named
-- queue would stay locked. A job that was interrupted belongs in front of those that came after it. And one
-- that failed because the database was away should not wait for minutes when it is back: the queue's own
-- pauses grow without end, while every other pause is a decision of ours and leaves no error here.
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
