-- Removes copies of vectors that were deleted during the build.
delete from graph_vector g
where g.project_id = $1 and g.graph_id = $3
  and not exists (select from memory_vector v where v.project_id = $1 and v.space_id = $2 and v.memory_id = g.memory_id)
