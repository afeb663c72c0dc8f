-- Copies vectors that a graph lacks. They are locked, so that a transaction that deletes one deletes its copy too.
insert into graph_vector (project_id, graph_id, memory_id, embedding)
select $1, $3, missing.memory_id, missing.embedding
from (select v.memory_id, v.embedding from memory_vector v
      where v.project_id = $1 and v.space_id = $2
        and not exists (select from graph_vector g
                        where g.project_id = $1 and g.graph_id = $3 and g.memory_id = v.memory_id)
      limit 10000
      for key share of v) missing
on conflict do nothing
