-- Mends two things after a worker was taken for dead and was not. When it finishes its job after all, the
-- one who took over has nothing left to finish, and its named queue would stay locked. And a job that was
-- interrupted belongs in front of those that came after it.
with freed as (
  update reflect_jobs._private_job_queues q set locked_by = null, locked_at = null
  where q.locked_at is not null and not exists (
    select from reflect_jobs._private_jobs j where j.job_queue_id = q.id and j.locked_by = q.locked_by)
)
update reflect_jobs._private_jobs set run_at = created_at, last_error = null
where locked_at is null and last_error = 'Job recovered after worker interruption' and run_at > created_at
