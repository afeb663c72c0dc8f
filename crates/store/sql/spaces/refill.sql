-- Queues the work of a running embedding migration, because a new memory lacks a vector in one of the spaces. An earlier time stays.
insert into job (project_id, kind, subject, run_at)
select c.project_id, 20, '00000000-0000-0000-0000-000000000000', now() + make_interval(secs => $2::float8)
from space_change c
where c.project_id = $1 and c.state < 4
on conflict (project_id, kind, subject) do update
set run_at = least(job.run_at, excluded.run_at),
    again_at = case when job.worker is not null then least(job.again_at, excluded.run_at) end
