-- How many jobs wait or run, and how many seconds the oldest due one has waited. Jobs that were replaced while they ran
-- may stay in the table and do not count.
select count(*), coalesce(extract(epoch from now() - min(run_at) filter (where run_at <= now() and locked_at is null)), 0)::float8
from reflect_jobs._private_jobs
where attempts < max_attempts or locked_at is not null
