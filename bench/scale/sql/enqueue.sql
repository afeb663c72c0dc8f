-- Queues learning from one review per row, as crates/store/sql/jobs/enqueue_learning.sql does for the reviews of one project.
-- The reviews need not exist: the job of such a review ends at once.
select count(*) from reflect_jobs.add_jobs(array(
  select row('learn', json_build_object('project_id', sent.project_id, 'review_id', sent.review_id),
             'project ' || sent.project_id || ' share ' || (hashtext(sent.review_id::text) & 2147483647) % 4,
             now(), null, 'learn ' || sent.project_id || ' ' || sent.review_id, null, null)::reflect_jobs.job_spec
  from unnest($1::int[], $2::uuid[]) as sent (project_id, review_id)))
