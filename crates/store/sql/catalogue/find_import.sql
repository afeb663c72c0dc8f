-- Which pack a project comes from, if it is still being imported, and how much of it is here.
select project_id, import_pack, import_parts from project where slug = $1 and deleted_at is null
