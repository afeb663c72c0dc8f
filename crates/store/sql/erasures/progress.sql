-- Records what was removed, in the same transaction.
update erasure set traces = traces + $3, removed = $4, checkpoint = $5 where project_id = $1 and erasure_id = $2
