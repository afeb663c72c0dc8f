-- Queues learning from reviews, in the transaction that stores them. The reviews of one project share a few named queues,
-- each of which runs one job at a time, which limits the project's share of the workers. A waiting job with the same key
-- is replaced; after a running one the new job is queued.
select count(*) from reflect_jobs.add_jobs(array(
  select row('learn', json_build_object('project_id', $1::int, 'review_id', sent.review_id),
             'project ' || $1::int || ' share ' || (hashtext(sent.review_id::text) & 2147483647) % $3::int,
             now() + make_interval(secs => $4::float8), null, 'learn ' || $1::int || ' ' || sent.review_id,
             null, null)::reflect_jobs.job_spec
  from unnest($2::uuid[]) as sent (review_id)))
