-- The situation whose words are the text of a memory.
select coalesce(lesson_speaker($1, s.lesson_id), s.memory_id) from memory_stat s
where s.project_id = $1 and s.memory_id = $2
