-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from memory_import where project_id = $1 and import_key in (select import_key from memory_import where project_id = $1 limit 1000)
