-- The memories that named ones stood for (7) in the last retrieval of a key for a task. Clients that send ids name only
-- what they were served: one memory for each lesson. Served lessons differ, so the lesson or the text tells which one stood for a
-- copy.
with receipt as (
  select memory_ids, memory_ids[1:served] as served, fates
  from retrieval
  where project_id = $1 and task_digest = $2 and key_id = $3 and retrieval_id >= $4 and retrieval_id < $5
  order by retrieval_id desc limit 1
)
select copy.memory_id
from receipt
cross join unnest(receipt.memory_ids, receipt.fates) with ordinality as line (memory_id, fate, place)
join memory copy on copy.project_id = $1 and copy.memory_id = line.memory_id
join memory_stat s on s.project_id = $1 and s.memory_id = line.memory_id
where line.fate = 7 and exists (
  select from memory named
  join memory_stat n on n.project_id = $1 and n.memory_id = named.memory_id
  where named.project_id = $1 and named.memory_id = any ($6) and named.memory_id = any (receipt.served)
    and (n.lesson_id = s.lesson_id or named.lesson_digest = copy.lesson_digest)
)
order by line.place
