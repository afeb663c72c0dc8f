-- Removes some of a deleted project's rows; run again until none is left.
delete from memory_corroboration where project_id = $1 and memory_id in (select distinct memory_id from memory_corroboration where project_id = $1 limit 1000)
