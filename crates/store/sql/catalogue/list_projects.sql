-- Every project that is not deleted.
select project_id, slug from project where deleted_at is null and import_pack is null order by project_id
