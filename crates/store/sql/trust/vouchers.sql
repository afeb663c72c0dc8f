-- The memories that corroborate these and are still active, or merged into an active one, and the sources of both.
select m.memory_id, m.author_key, m.source_trace, v.author_key as by_key, v.source_trace as by_trace
from memory_corroboration c
join memory m on m.project_id = $1 and m.memory_id = c.memory_id
join memory v on v.project_id = $1 and v.memory_id = c.vouched_by
join memory_stat s on s.project_id = $1 and s.memory_id = c.vouched_by
where c.project_id = $1 and c.memory_id = any($2::uuid[])
  and (s.status = 1
       or s.status = 5 and exists (
         select from memory_stat a where a.project_id = $1 and a.memory_id = s.merged_into and a.status = 1))
  and m.author_key is not null and m.source_trace is not null
  and v.author_key is not null and v.source_trace is not null
order by m.memory_id
