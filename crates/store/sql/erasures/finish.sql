-- Completes an erasure and removes the name of the subject.
update erasure set state = 2, finished_at = now(), subject = null where project_id = $1 and erasure_id = $2 and state < 2
