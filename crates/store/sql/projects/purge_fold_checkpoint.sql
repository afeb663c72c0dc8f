-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from fold_checkpoint where project_id = $1 and memory_id in (select distinct memory_id from fold_checkpoint where project_id = $1 limit 100)
