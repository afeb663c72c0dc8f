-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from spending where project_id = $1 and day in (select day from spending where project_id = $1 limit 1000)
