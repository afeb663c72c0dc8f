-- Unfinished erasures without a job, for example because the job was removed manually.
select e.erasure_id from erasure e
where e.project_id = $1 and e.state < 2 and e.created_at < now() - interval '1 minute'
  and not exists (select from reflect_jobs._private_jobs j where j.key = 'erase ' || $1::int || ' ' || e.erasure_id
                  and (j.attempts < j.max_attempts or j.locked_at is not null))
limit 100
