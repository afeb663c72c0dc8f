-- How far the ledgers of memories have come. The caller holds their locks.
select s.memory_id,
       coalesce(s.entered, (select max(e.seq) from utility_event e where e.project_id = $1 and e.memory_id = s.memory_id),
                0) as entered,
       s.credited,
       coalesce((select max(c.seq) from memory_change c where c.project_id = $1 and c.memory_id = s.memory_id), 0) as changes
from memory_stat s
where s.project_id = $1 and s.memory_id = any($2)
