-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from signal where project_id = $1 and signal_id in (select signal_id from signal where project_id = $1 limit 1000)
