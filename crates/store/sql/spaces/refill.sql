-- Queues the work of a running embedding migration, because a new memory lacks a vector in one of the spaces.
select (select count(*) from reflect_jobs.add_jobs(array[
  row('reembed', json_build_object('project_id', c.project_id), 'reembed', now() + make_interval(secs => $2::float8),
      null, 'reembed ' || c.project_id, 10, null)::reflect_jobs.job_spec]))
from space_change c
where c.project_id = $1 and c.state < 4
