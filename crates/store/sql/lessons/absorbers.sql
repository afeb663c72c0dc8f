-- The memories that these are merged into, once for each of these.
select s.merged_into from memory_stat s
where s.project_id = $1 and s.memory_id = any($2) and s.merged_into is not null and s.status = 5
