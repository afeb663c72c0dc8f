-- Makes a batch of delayed jobs ready whose time has come.
update job j set ready_at = now()
from (select d.ctid as place from job d where d.ready_at is null and d.run_at <= now()
      order by d.run_at limit $1 for update skip locked) as due
where j.ctid = due.place
