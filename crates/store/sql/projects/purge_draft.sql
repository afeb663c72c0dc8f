-- Removes some of a deleted project's rows; run again until none is left.
delete from draft where project_id = $1 and review_id in (select review_id from draft where project_id = $1 limit 1000)
