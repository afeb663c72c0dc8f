-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from graph_vector where project_id = $1 and (graph_id, memory_id) in (select graph_id, memory_id from graph_vector where project_id = $1 limit 1000)
