-- Memories without a vector in a space, oldest first, among the next memories of the project: a limited number, so that the
-- statement takes the same time in a large project. Includes memories that may not be served now, because that can change;
-- excludes retired and erased ones. Always one row with the last memory that was looked at, and whether there are more.
with examined as materialized (
  select s.memory_id, s.status from memory_stat s
  where s.project_id = $1 and s.memory_id > $3
  order by s.memory_id
  limit 20000
), page as materialized (
  select (select memory_id from examined order by memory_id desc limit 1) as last_examined,
         (select count(*) from examined) = 20000 as is_full
), unindexed as (
  select m.memory_id, m.task, m.reflection
  from examined e
  join memory m on m.project_id = $1 and m.memory_id = e.memory_id
  where e.status not in (2, 3)
    and not exists (select from memory_vector v
                    where v.project_id = $1 and v.space_id = $2 and v.memory_id = e.memory_id
                      and v.memory_id > $3 and v.memory_id <= (select last_examined from page))
    and not exists (select from parked_vector p
                    where p.project_id = $1 and p.space_id = $2 and p.memory_id = e.memory_id
                      and p.memory_id > $3 and p.memory_id <= (select last_examined from page))
  order by m.memory_id
  limit 32
)
select u.memory_id, u.task, u.reflection, page.last_examined, page.is_full
from page left join unindexed u on true
order by u.memory_id
