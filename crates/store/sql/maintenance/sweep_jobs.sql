-- Removes what the queue leaves behind: spent jobs that were replaced while they ran, and the named queues of
-- projects that are gone. Those of other projects stay, even when nothing seems to wait in them: a job that is
-- being added by an open transaction is not seen here, its queue is held by no foreign key, and a job whose
-- queue is gone is taken by nobody. Should there be such a job, it runs outside its project's share.
with spent as (
  delete from reflect_jobs._private_jobs where key is null and attempts >= max_attempts and locked_at is null
), stranded as (
  update reflect_jobs._private_jobs j set job_queue_id = null
  where j.job_queue_id is not null and j.locked_at is null
    and not exists (select from reflect_jobs._private_job_queues q where q.id = j.job_queue_id)
)
delete from reflect_jobs._private_job_queues q
where q.locked_at is null and not exists (select from reflect_jobs._private_jobs j where j.job_queue_id = q.id)
  and not exists (select from project p where starts_with(q.queue_name, 'project ' || p.project_id || ' '))
