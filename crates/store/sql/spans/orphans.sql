-- Runs that are due and have no job, for example because the job was removed manually.
select r.otlp_id from otlp_run r
where r.project_id = $1 and r.state < 2 and r.due_at < now() - interval '1 minute'
  and not exists (select from job j where j.project_id = $1 and j.kind = 5 and j.subject = r.otlp_id)
order by r.created_at
limit 1000
