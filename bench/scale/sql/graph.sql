-- The graph of a project: whether it serves, and the result of its own check.
select case g.state when 3 then 'serves' when 4 then 'was rejected' else 'is not ready' end
       || format(', ef_search %s, recall in its check %s of %s questions', g.ef_search, round(g.recall::numeric, 3), g.questions)
from vector_graph g where g.project_id = $1 and g.state <> 5
