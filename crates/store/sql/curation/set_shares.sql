-- Replaces the shares of a merge, after the past of a merged memory changed.
update memory_change set after = $4 where project_id = $1 and memory_id = $2 and seq = $3 and facet = 5
