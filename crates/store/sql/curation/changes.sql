-- All changes to some facets of memories, in order.
select memory_id, facet, before, after, undone from memory_change
where project_id = $1 and memory_id = any($2) and facet = any($3)
order by memory_id, seq
