-- The situations of a lesson that are not erased, oldest first.
select s.memory_id from memory_stat s
where s.project_id = $1 and s.lesson_id = $2 and s.status <> 3
order by s.memory_id
limit $3
