-- The number of a project, by the name in the path.
select project_id from project where slug = $1 and deleted_at is null and import_pack is null
