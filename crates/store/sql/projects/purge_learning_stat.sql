-- Removes the statistics of a deleted project.
delete from learning_stat where project_id = $1
