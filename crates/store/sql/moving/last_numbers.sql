-- The highest numbers in a project's ledgers of utility and of care.
select coalesce((select max(seq) from utility_event where project_id = $1), 0),
       coalesce((select max(seq) from memory_change where project_id = $1), 0)
