-- Counts the situations that are merged into memories; null is 0. The caller holds the locks of the memories.
update memory_stat s set absorbed = nullif(counted.absorbed, 0)
from (select given.memory_id,
             (select count(*) from memory_stat o
              where o.project_id = $1 and o.merged_into = given.memory_id and o.merged_into is not null
                and o.status = 5)::int as absorbed
      from unnest($2::uuid[]) as given (memory_id)) counted
where s.project_id = $1 and s.memory_id = counted.memory_id
