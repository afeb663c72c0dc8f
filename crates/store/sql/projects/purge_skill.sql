-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from skill where project_id = $1 and version in (select version from skill where project_id = $1 limit 1000)
