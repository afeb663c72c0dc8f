-- A memory was made that is not in every space it belongs into: while a change is live, its work is queued.
select (select count(*) from reflect_jobs.add_jobs(array[
  row('reembed', json_build_object('project_id', c.project_id), 'reembed', now() + make_interval(secs => $2::float8),
      null, 'reembed ' || c.project_id, 10, null)::reflect_jobs.job_spec]))
from space_change c
where c.project_id = $1 and c.state < 4
