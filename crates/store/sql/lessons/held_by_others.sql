-- Which of these memories have an id that is the lesson of another memory.
select distinct s.lesson_id from memory_stat s
where s.project_id = $1 and s.lesson_id = any($2::uuid[]) and s.lesson_id is not null and s.memory_id <> s.lesson_id
