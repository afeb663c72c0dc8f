-- Removes all jobs of a deleted project. Running jobs detect the deletion.
delete from job where project_id = $1 and worker is null
