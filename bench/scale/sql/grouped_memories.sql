-- How many memories of a project up to $2 have a lesson, and how many lessons that are.
select count(*), count(distinct lesson_id) from memory_stat
where project_id = $1 and memory_id <= $2 and lesson_id is not null
