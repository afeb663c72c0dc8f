-- Queues runs for the judge. One queue per project runs one job at a time, with a lower priority than learning (a higher
-- number comes later).
select count(*) from reflect_jobs.add_jobs(array(
  select row('judge', json_build_object('project_id', $1::int, 'trace_id', sent.trace_id, 'failures', $3::smallint),
             'project ' || $1::int || ' judge', now() + make_interval(secs => $4::float8), null,
             'judge ' || $1::int || ' ' || sent.trace_id, 10, null)::reflect_jobs.job_spec
  from unnest($2::uuid[]) as sent (trace_id)))
