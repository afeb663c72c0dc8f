-- Queues an erasure, in the transaction that stores the request. One queue per project, so erasures run one at a time.
select count(*) from reflect_jobs.add_jobs(array[
  row('erase', json_build_object('project_id', $1::int, 'erasure_id', $2::uuid), 'project ' || $1::int || ' erasures',
      now(), null, 'erase ' || $1::int || ' ' || $2::uuid, null, null)::reflect_jobs.job_spec])
