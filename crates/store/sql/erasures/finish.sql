-- Nothing is left to remove; the name of the subject goes last.
update erasure set state = 2, finished_at = now(), subject = null where project_id = $1 and erasure_id = $2 and state < 2
