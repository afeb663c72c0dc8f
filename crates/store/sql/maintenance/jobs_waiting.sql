-- How many jobs wait or run, and for how long the oldest of those that are due has waited, in seconds. Jobs
-- that were replaced while they ran may stay behind, spent; they are nobody's work.
select count(*), coalesce(extract(epoch from now() - min(run_at) filter (where run_at <= now() and locked_at is null)), 0)::float8
from reflect_jobs._private_jobs
where attempts < max_attempts or locked_at is not null
