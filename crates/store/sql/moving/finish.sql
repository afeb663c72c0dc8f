-- Makes an imported and verified project visible. It may have signals that wait for runs.
update project set import_pack = null, import_parts = 0, has_signals = true
where project_id = $1 and import_pack = $2 and deleted_at is null
