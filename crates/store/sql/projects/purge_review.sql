-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from review where project_id = $1 and review_id in (select review_id from review where project_id = $1 limit 1000)
