-- Removes some of a deleted project's rows; run again until none is left.
delete from space_change where project_id = $1 and change_id in (select change_id from space_change where project_id = $1 limit 1000)
