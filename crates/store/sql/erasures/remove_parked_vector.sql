-- Removes the vectors of memories that were not served.
delete from parked_vector where project_id = $1 and memory_id = any($2)
