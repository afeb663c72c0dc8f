-- Removes what the queue leaves behind: spent jobs that were replaced while they ran, and named queues
-- that nothing waits in.
with spent as (
  delete from reflect_jobs._private_jobs where key is null and attempts >= max_attempts and locked_at is null
)
delete from reflect_jobs._private_job_queues q
where q.locked_at is null and not exists (select from reflect_jobs._private_jobs j where j.job_queue_id = q.id)
