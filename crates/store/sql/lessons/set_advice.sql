-- Writes what a situation advises, after its text changed. One that was never computed is left to the grouping.
update memory_stat set advice = $3 where project_id = $1 and memory_id = $2 and advice is not null
