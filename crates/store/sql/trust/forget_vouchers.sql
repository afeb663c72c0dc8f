-- Other sources confirmed the earlier text of a memory, not its new one.
delete from memory_corroboration where project_id = $1 and memory_id = $2
