-- Queues learning from one review per row, as crates/store/sql/jobs/enqueue.sql does for the reviews of one project. The
-- reviews need not exist: the job of such a review ends at once.
insert into job (project_id, kind, subject, failures, run_at, ready_at)
select sent.project_id, 0, sent.review_id, 0, now(), now()
from unnest($1::int[], $2::uuid[]) as sent (project_id, review_id)
on conflict (project_id, kind, subject) do update
set failures = excluded.failures,
    again_at = case when job.worker is not null then excluded.run_at end,
    run_at = case when job.worker is null then excluded.run_at else job.run_at end,
    ready_at = case when job.worker is null then excluded.ready_at else job.ready_at end,
    attempts = case when job.worker is null then 0 else job.attempts end
