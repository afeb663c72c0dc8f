-- Locks memories in the common lock order, because the following count must stay valid.
select s.memory_id from memory_stat s
where s.project_id = $1 and s.memory_id = any($2::uuid[])
order by s.memory_id
for update
