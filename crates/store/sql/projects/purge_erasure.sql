-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from erasure where project_id = $1 and erasure_id in (select erasure_id from erasure where project_id = $1 limit 1000)
