-- Stores the result of a check: a graph serves from now on, goes on serving, or is rejected.
update vector_graph
set state = $3, ef_search = $4, recall = $5, questions = $6, checked_at = now(), attempts = 0, last_error = null,
    changed_at = case when state = $3 then changed_at else now() end
where project_id = $1 and graph_id = $2 and state in (2, 3)
