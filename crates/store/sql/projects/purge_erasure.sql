-- Removes some of a deleted project's rows; run again until none is left.
delete from erasure where project_id = $1 and erasure_id in (select erasure_id from erasure where project_id = $1 limit 1000)
