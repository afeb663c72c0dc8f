-- The data key of a project.
select key_id, wrapped from project_data_key where project_id = $1
