-- Lets a project that was imported and verified be found.
update project set import_pack = null, import_parts = 0
where project_id = $1 and import_pack = $2 and deleted_at is null
