-- Serialises writers of one project.
select project_id from project where project_id = $1 for update
