-- Makes a batch of delayed jobs ready whose time has come. The limit is a constant (`PROMOTED`): for a parameter, the planner
-- expects a tenth of all delayed jobs and reads the whole table.
update job j set ready_at = now()
from (select d.ctid as place from job d where d.ready_at is null and d.run_at <= now()
      order by d.run_at limit 1000 for update skip locked) as due
where j.ctid = due.place
