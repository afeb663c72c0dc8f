-- Builds a graph, with the rights of the tables' owner. Null if another process has begun it.
select build_graph(g.project_id, g.graph_id) from vector_graph g where g.project_id = $1 and g.graph_id = $2
