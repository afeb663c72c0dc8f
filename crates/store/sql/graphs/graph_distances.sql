-- The distances of the nearest memories that a graph finds, whether it serves or not.
select c.distance
from vector_graph g, graph_candidates(g.project_id, g.graph_id, g.dimensions, $3, $4, $5) c
where g.project_id = $1 and g.graph_id = $2
order by c.distance
