-- Projects with an enabled judge, their settings, and the types of events that their webhooks receive.
select project_id, settings, webhook_types from project
where deleted_at is null and import_pack is null and settings -> 'judge' ->> 'enabled' = 'true'
order by project_id
