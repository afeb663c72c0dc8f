-- Writes what a situation advises, after its text changed.
update memory_stat set advice = $3 where project_id = $1 and memory_id = $2
