-- Takes the lock that every review of a memory takes.
select memory_id from memory_stat where project_id = $1 and memory_id = $2 for update
