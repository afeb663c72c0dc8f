-- Changes some of a project's settings and says how they stand.
update project set settings = settings || $2 where project_id = $1 and deleted_at is null returning settings
