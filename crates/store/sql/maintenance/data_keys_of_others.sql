-- Data keys that another key than this one wraps, after a project.
select project_id, key_id, wrapped from project_data_key
where key_id <> $1 and project_id > $2
order by project_id limit 500
