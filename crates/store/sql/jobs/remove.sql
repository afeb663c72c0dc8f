-- Takes back the learning from a review that counts no more. A job that is running finds out by itself.
select count(*)
from (values ($1::int, $2::uuid)) as job (project_id, review_id),
     reflect_jobs.remove_job('learn ' || job.project_id || ' ' || job.review_id)
