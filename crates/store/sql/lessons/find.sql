-- The situation that speaks for a lesson. A memory that is not grouped is a lesson of its own.
select found.memory_id
from (select lesson_speaker($1, $2::uuid) as memory_id
      union all
      select s.memory_id from memory_stat s
      where s.project_id = $1 and s.memory_id = $2 and s.lesson_id is null and s.status <> 3) found
where found.memory_id is not null
limit 1
