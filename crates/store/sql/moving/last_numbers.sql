-- The highest numbers in the ledgers of a project.
select coalesce((select max(seq) from utility_event where project_id = $1), 0),
       coalesce((select max(seq) from memory_change where project_id = $1), 0)
