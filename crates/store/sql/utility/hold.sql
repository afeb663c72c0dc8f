-- Holds memories in the order in which everybody does, so that what is counted next stays true.
select s.memory_id from memory_stat s
where s.project_id = $1 and s.memory_id = any($2::uuid[])
order by s.memory_id
for update
