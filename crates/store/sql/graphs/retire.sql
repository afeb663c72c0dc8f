-- Stops using a graph. Its partition is removed later.
update vector_graph set state = 5, changed_at = now() where project_id = $1 and graph_id = $2 and state <> 5
