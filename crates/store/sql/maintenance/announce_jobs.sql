-- Makes workers look at the queue when there is something to find: each announcement makes every learner
-- of every process ask, and that would be in the way of the work itself.
select pg_notify('jobs:insert', '')
where exists (
  select from reflect_jobs._private_jobs j
  where j.is_available and j.run_at <= now()
    and not exists (select from reflect_jobs._private_job_queues q
                    where q.id = j.job_queue_id and q.locked_at is not null))
