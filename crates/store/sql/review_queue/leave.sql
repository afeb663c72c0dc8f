-- Removes reviewed runs from the queue.
delete from queue_entry where project_id = $1 and trace_id = any($2::uuid[])
