-- What a memory was worth stays; that it was erased shows.
update memory_stat set presence = 4 where project_id = $1 and memory_id = any($2) and presence <> 4
