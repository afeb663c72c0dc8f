-- Removes some of a deleted project's rows; run again until none is left.
delete from spending where project_id = $1 and day in (select day from spending where project_id = $1 limit 1000)
