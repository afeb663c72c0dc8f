-- Queues the work of a change of space. One queue for all projects, which runs one job at a time and after
-- everything else: however much there is to embed, one worker at most is kept from learning.
select count(*) from reflect_jobs.add_jobs(array[
  row('reembed', json_build_object('project_id', $1::int), 'reembed', now() + make_interval(secs => $2::float8),
      null, 'reembed ' || $1::int, 10, null)::reflect_jobs.job_spec])
