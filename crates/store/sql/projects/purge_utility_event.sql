-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from utility_event where project_id = $1 and review_id in (select distinct review_id from utility_event where project_id = $1 limit 1000)
