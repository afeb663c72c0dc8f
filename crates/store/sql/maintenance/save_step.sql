-- Stores the progress of a step. $6 says whether its cycle has ended. The last error stays until a cycle ends without one.
insert into maintenance_step as s (step, visited_project, worked, failed_projects, last_error, ended_at, succeeded_at)
values ($1, $2, $3, $4, $5::text, case when $6 then now() end, case when $6 and $5::text is null then now() end)
on conflict (step) do update
set visited_project = excluded.visited_project, worked = excluded.worked, failed_projects = excluded.failed_projects,
    last_error = case when excluded.succeeded_at is null then coalesce(excluded.last_error, s.last_error) end,
    ended_at = coalesce(excluded.ended_at, s.ended_at), succeeded_at = coalesce(excluded.succeeded_at, s.succeeded_at)
