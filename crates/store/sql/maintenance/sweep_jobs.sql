-- Removes replaced jobs that have finished, and the named queues of deleted projects. Queues of other projects stay even
-- if they look empty: a job of an open transaction is not visible here, no foreign key protects its queue, and a job
-- without its queue is never run. If there is such a job, it runs outside its project's share.
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
