-- Makes an imported and verified project visible.
update project set import_pack = null, import_parts = 0
where project_id = $1 and import_pack = $2 and deleted_at is null
