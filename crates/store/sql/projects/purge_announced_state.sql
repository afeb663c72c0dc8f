-- Removes the rows of a deleted project: at most a few.
delete from announced_state where project_id = $1
