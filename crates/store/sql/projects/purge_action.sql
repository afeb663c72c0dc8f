-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from action where project_id = $1 and action_id in (select action_id from action where project_id = $1 limit 1000)
