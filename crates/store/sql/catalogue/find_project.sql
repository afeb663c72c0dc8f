-- Turns the name in a path into the number in every key.
select project_id from project where slug = $1 and deleted_at is null and import_pack is null
