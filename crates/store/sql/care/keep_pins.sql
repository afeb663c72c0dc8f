-- Keeps which memories are pinned where a search looks before it begins.
update project set pinned = array(
  select s.memory_id from memory_stat s where s.project_id = $1 and s.pinned and s.presence <> 4 order by s.memory_id)
where project_id = $1
returning pinned
