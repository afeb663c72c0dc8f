-- The state of the steps of maintenance. Times are seconds ago, by the clock of the database.
select step, visited_project, worked, failed_projects, last_error,
       extract(epoch from now() - ended_at)::float8 as ended_seconds,
       extract(epoch from now() - coalesce(succeeded_at, created_at))::float8 as age_seconds
from maintenance_step order by step
