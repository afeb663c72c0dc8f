-- Records the progress of an import, in the transaction that made it. No row if another process advanced it in between.
update project set import_parts = $3 + 1
where project_id = $1 and import_pack = $2 and import_parts = $3 and deleted_at is null
