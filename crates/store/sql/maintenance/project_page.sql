-- A page of projects in use, by number, with what a step needs to know about each.
select project_id, settings, read_space is not null as has_vectors, has_signals, webhook_types from project
where project_id > $1 and deleted_at is null and import_pack is null
order by project_id limit $2
