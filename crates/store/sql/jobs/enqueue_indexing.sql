-- Queues the indexing of memories without a vector, in the transaction that found them.
select count(*) from reflect_jobs.add_jobs(array[
  row('place', json_build_object('project_id', $1::int), 'project ' || $1::int || ' place',
      now() + make_interval(secs => $2::float8), null, 'place ' || $1::int, null, null)::reflect_jobs.job_spec])
