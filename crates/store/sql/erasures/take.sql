-- Takes a removal to go on with it; whoever else comes waits. No row when it is done or gone.
update erasure set state = 1 where project_id = $1 and erasure_id = $2 and state < 2
returning trace_id, subject, keep_memories, removed
