-- Whether background work that changes how a project is served has finished: the graph of a large project serves or was
-- rejected (3 and 4). A worker gives a project a graph from 40,000 vectors of 384 dimensions on, fewer if there are more
-- dimensions. Checkpoints of the ledger need no worker. A part of the product that adds such work also says here how to see its
-- end.
select exists (select from project where project_id = $1)
  and not exists (
    select from project p
    cross join unnest(p.write_spaces) as written (space_id)
    join embedding_space e on e.space_id = written.space_id
    where p.project_id = $1
      and (select count(*) from memory_vector v where v.project_id = $1 and v.space_id = e.space_id)
          >= 40000 * 384 / greatest(e.dimensions, 384)
      and not exists (select from vector_graph g
                      where g.project_id = $1 and g.space_id = e.space_id and g.state in (3, 4)))
