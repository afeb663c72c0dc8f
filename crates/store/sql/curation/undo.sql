-- Marks the changes of an action to these memories as undone. Returns their facets and positions.
update memory_change set undone = true
where project_id = $1 and action_id = $2 and memory_id = any($3) and not undone
returning memory_id, facet, entered, credited
