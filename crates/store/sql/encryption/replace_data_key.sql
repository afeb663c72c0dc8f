-- Stores a data key that was wrapped again, unless another process was faster.
update project_data_key set key_id = $2, wrapped = $3, wrapped_at = now()
where project_id = $1 and wrapped = $4
