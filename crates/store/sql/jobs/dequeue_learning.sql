-- Removes the learning job of a withdrawn review. A running job detects the withdrawal.
select count(*)
from (values ($1::int, $2::uuid)) as job (project_id, review_id),
     reflect_jobs.remove_job('learn ' || job.project_id || ' ' || job.review_id)
