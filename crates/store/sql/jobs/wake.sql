-- Makes the waiting jobs of a project due now, because a changed setting may resolve what they wait for. Jobs in the grace
-- period of a review are excluded.
update reflect_jobs._private_jobs j set run_at = now() from (values ($1::int)) as awake (project_id)
where (starts_with(j.key, 'learn ' || awake.project_id || ' ') or starts_with(j.key, 'judge ' || awake.project_id || ' '))
  and j.locked_at is null and j.run_at > now()
  and not exists (
    select from review r
    where r.project_id = awake.project_id and r.learns_at > now()
      and r.review_id = case when starts_with(j.key, 'learn ') then split_part(j.key, ' ', 3)::uuid end)
