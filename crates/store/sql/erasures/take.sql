-- Locks an unfinished erasure. No row if it is finished or does not exist.
update erasure set state = 1 where project_id = $1 and erasure_id = $2 and state < 2
returning trace_id, subject, keep_memories, removed
