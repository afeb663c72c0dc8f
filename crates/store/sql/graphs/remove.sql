-- Removes the partition of a graph that is not used, with the rights of the tables' owner. Whether it is gone.
select drop_graph(g.project_id, g.graph_id, make_interval(secs => $3)) from vector_graph g
where g.project_id = $1 and g.graph_id = $2
