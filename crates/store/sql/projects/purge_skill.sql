-- Removes some of a deleted project's rows; run again until none is left.
delete from skill where project_id = $1 and version in (select version from skill where project_id = $1 limit 1000)
