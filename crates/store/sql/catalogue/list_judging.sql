-- Projects with an enabled judge, and their settings.
select project_id, settings from project
where deleted_at is null and import_pack is null and settings -> 'judge' ->> 'enabled' = 'true'
order by project_id
