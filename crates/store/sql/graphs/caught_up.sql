-- A graph has every vector, and can be checked.
update vector_graph set state = 2, attempts = 0, last_error = null, changed_at = now()
where project_id = $1 and graph_id = $2 and state = 1
