-- Locks the memories of a batch that are not grouped yet, in the common lock order.
select s.memory_id from memory_stat s
where s.project_id = $1 and s.memory_id = any($2) and s.lesson_id is null and s.status <> 3
order by s.memory_id
for update
