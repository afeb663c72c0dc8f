-- The curation steps that changed utility or credit and are not undone.
select memory_id, seq, facet, after, entered, credited from memory_change
where project_id = $1 and memory_id = any($2) and facet in (4, 5) and not undone
order by memory_id, seq
