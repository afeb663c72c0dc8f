-- Stores the data key of a project that has none. Changes nothing if another process was faster.
insert into project_data_key (project_id, key_id, wrapped)
select project_id, $2::text, $3::bytea from project where project_id = $1
on conflict (project_id) do nothing
