-- Records why the work on a graph failed.
update vector_graph set attempts = attempts + 1, last_error = left($3, 500), changed_at = now()
where project_id = $1 and graph_id = $2 and state < 4
