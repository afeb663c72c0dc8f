-- Removes signals about a run that is to be erased and is not stored.
delete from signal where project_id = $1 and subject = (select signal_subject('trace_id', $2::uuid::text)) and open
