-- Removes the learning job of a withdrawn review. A running job detects the withdrawal.
delete from job where project_id = $1 and kind = 0 and subject = $2 and worker is null
