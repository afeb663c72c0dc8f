-- Copies the pinned memories into the project row, where a search reads them first.
update project set pinned = array(
  select s.memory_id from memory_stat s where s.project_id = $1 and s.pinned and s.presence <> 4 order by s.memory_id)
where project_id = $1
returning pinned
