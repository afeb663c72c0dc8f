-- How many of the next memories after a cursor ($2) are not grouped, how many were read, at most $3, and the last of them.
select count(*) filter (where page.lesson_id is null and page.status <> 3) as ungrouped, count(*) as memories,
       (array_agg(page.memory_id order by page.memory_id desc))[1] as last
from (select s.memory_id, s.lesson_id, s.status from memory_stat s
      where s.project_id = $1 and s.memory_id > $2
      order by s.memory_id
      limit $3) page
