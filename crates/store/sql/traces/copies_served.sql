-- The memories that named ones stood for (7) in the last retrieval of a key for a task. Clients that send ids name only
-- what they were served: one memory for each lesson. Served lessons differ, so the lesson or the shown text tells which one stood
-- for a copy, directly or through another copy.
with recursive receipt as (
  select memory_ids, memory_ids[1:served] as served, fates
  from retrieval
  where project_id = $1 and task_digest = $2 and key_id = $3 and retrieval_id >= $4 and retrieval_id < $5
  order by retrieval_id desc limit 1
), lines as materialized (
  select line.memory_id, line.fate, line.place, s.lesson_id,
         case when s.lesson_id is null or lesson_speaker($1, s.lesson_id) = s.memory_id then m.lesson_digest end as text
  from receipt
  cross join unnest(receipt.memory_ids, receipt.fates) with ordinality as line (memory_id, fate, place)
  join memory m on m.project_id = $1 and m.memory_id = line.memory_id
  join memory_stat s on s.project_id = $1 and s.memory_id = line.memory_id
  where line.fate = 7 or line.memory_id = any ($6) and line.memory_id = any (receipt.served)
), reached as (
  select memory_id, fate, place, lesson_id, text from lines where fate <> 7
  union
  select copy.memory_id, copy.fate, copy.place, copy.lesson_id, copy.text
  from reached join lines copy on copy.fate = 7 and (copy.lesson_id = reached.lesson_id or copy.text = reached.text)
)
select memory_id from reached where fate = 7 order by place
