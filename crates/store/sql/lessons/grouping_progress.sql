-- How many memories the grouping has looked at, and how many there are.
select count(*) filter (where s.memory_id <= (select grouped_to from learning_stat where project_id = $1)) as done,
       count(*) as total
from memory_stat s
where s.project_id = $1 and s.status <> 3
