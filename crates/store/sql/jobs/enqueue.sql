-- Queues jobs of one kind, in the transaction of the caller. A waiting job with the same subject is replaced. A running one runs
-- again afterwards. No notification here: it would hold a lock of the whole database until the transaction is on disk.
insert into job (project_id, kind, subject, failures, run_at, ready_at)
select $1::int, $2::smallint, sent.subject, $4::smallint, now() + make_interval(secs => $5::float8), case when $5::float8 <= 0 then now() end
from (select distinct subject from unnest($3::uuid[]) as given (subject) order by subject) as sent
on conflict (project_id, kind, subject) do update
set failures = excluded.failures,
    again_at = case when job.worker is not null then excluded.run_at end,
    run_at = case when job.worker is null then excluded.run_at else job.run_at end,
    ready_at = case when job.worker is null then excluded.ready_at else job.ready_at end,
    attempts = case when job.worker is null then 0 else job.attempts end
