-- Removes all jobs of a deleted project. Running jobs detect the deletion.
delete from reflect_jobs._private_jobs j using (values ($1::int)) as gone (project_id)
where (starts_with(j.key, 'learn ' || gone.project_id || ' ') or starts_with(j.key, 'judge ' || gone.project_id || ' ')
       or j.key in ('place ' || gone.project_id, 'reembed ' || gone.project_id))
  and j.locked_at is null
