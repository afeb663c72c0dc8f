-- Lets what a project has waiting be tried now: what it waited for may have changed.
update reflect_jobs._private_jobs j set run_at = now() from (values ($1::int)) as awake (project_id)
where (starts_with(j.key, 'learn ' || awake.project_id || ' ') or starts_with(j.key, 'judge ' || awake.project_id || ' '))
  and j.locked_at is null and j.run_at > now()
