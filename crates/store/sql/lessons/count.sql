-- How many lessons and situations there are among the newest memories.
select count(*) as lessons, coalesce(sum(l.situations), 0)::bigint as situations
from (select count(*) as situations
      from (select memory_id, lesson_id, status from memory_stat
            where project_id = $1
            order by memory_id desc
            limit 100000) s
      left join memory m on m.project_id = $1 and m.memory_id = s.memory_id and s.lesson_id is null
      where s.status = 1
      group by coalesce(s.lesson_id, m.lesson_digest, s.memory_id)) l
