-- The memory that an imported item became.
select memory_id from memory_import where project_id = $1 and import_key = $2
