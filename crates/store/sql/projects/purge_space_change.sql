-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from space_change where project_id = $1 and change_id in (select change_id from space_change where project_id = $1 limit 1000)
