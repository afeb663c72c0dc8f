-- Stores the changes of an action. They are numbered by memory, and their position in the ledger is after the current entries
-- of the memory. The caller holds the locks of the memories.
insert into memory_change (project_id, memory_id, seq, action_id, facet, before, after, entered, credited)
select $1, sent.memory_id,
       coalesce((select max(c.seq) from memory_change c where c.project_id = $1 and c.memory_id = sent.memory_id), 0)
         + row_number() over (partition by sent.memory_id order by sent.place),
       $2, sent.facet, sent.before, sent.after,
       coalesce(s.entered, (select max(e.seq) from utility_event e where e.project_id = $1 and e.memory_id = sent.memory_id),
                0),
       s.credited
from unnest($3::uuid[], $4::smallint[], $5::jsonb[], $6::jsonb[]) with ordinality
  as sent (memory_id, facet, before, after, place)
join memory_stat s on s.project_id = $1 and s.memory_id = sent.memory_id
returning memory_id, facet, entered, credited
