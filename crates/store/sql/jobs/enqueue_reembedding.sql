-- Queues the work of an embedding migration. One queue for all projects, with one job at a time and the lowest priority,
-- so at most one worker is kept from learning.
select count(*) from reflect_jobs.add_jobs(array[
  row('reembed', json_build_object('project_id', $1::int), 'reembed', now() + make_interval(secs => $2::float8),
      null, 'reembed ' || $1::int, 10, null)::reflect_jobs.job_spec])
