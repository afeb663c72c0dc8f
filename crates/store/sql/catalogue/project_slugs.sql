-- Projects that are not deleted, by number or all, ordered by name.
select project_id, slug, created_at from project
where deleted_at is null and import_pack is null and ($1::int[] is null or project_id = any($1))
order by slug
