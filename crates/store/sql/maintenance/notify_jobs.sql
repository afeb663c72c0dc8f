-- Notifies the workers only if a job is due, because every notification makes every worker of every process query the queue.
select pg_notify('jobs:insert', '')
where exists (
  select from reflect_jobs._private_jobs j
  where j.is_available and j.run_at <= now()
    and not exists (select from reflect_jobs._private_job_queues q
                    where q.id = j.job_queue_id and q.locked_at is not null))
