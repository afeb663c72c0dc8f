-- Unfinished erasures without a job, for example because the job was removed manually.
select e.erasure_id from erasure e
where e.project_id = $1 and e.state < 2 and e.created_at < now() - interval '1 minute'
  and not exists (select from job j where j.project_id = $1 and j.kind = 2 and j.subject = e.erasure_id)
limit 100
