-- How many jobs wait or run, and how many seconds the oldest due one has waited. At most 100,000 jobs are counted.
select count(*), coalesce(extract(epoch from now() - min(run_at) filter (where run_at <= now() and worker is null)), 0)::float8
from (select run_at, worker from job limit 100000) as counted
