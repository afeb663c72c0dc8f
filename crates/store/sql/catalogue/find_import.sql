-- The pack of a running import, and how many parts of it are stored.
select project_id, import_pack, import_parts from project where slug = $1 and deleted_at is null
