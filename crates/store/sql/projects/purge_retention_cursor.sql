-- Removes the rows of a deleted project; repeated until none is left.
delete from retention_cursor where project_id = $1
