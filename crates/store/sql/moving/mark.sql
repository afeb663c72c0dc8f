-- Writes down how far an import has come, in the transaction that took it there. Finds no row when another process
-- has been here in between.
update project set import_parts = $3 + 1
where project_id = $1 and import_pack = $2 and import_parts = $3 and deleted_at is null
