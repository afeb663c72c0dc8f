-- Removes a batch of runs that ended days ago. A span that arrives again after that time opens another run.
delete from otlp_run
where project_id = $1 and state >= 2 and otlp_id in (
  select otlp_id from otlp_run
  where project_id = $1 and state >= 2 and created_at < now() - interval '3 days'
  order by created_at
  limit 5000)
