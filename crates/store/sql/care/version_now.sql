-- Which of its texts a memory has. Read after it is held, so that it is the one that stays.
select version from memory where project_id = $1 and memory_id = $2
