-- Locks the situations that new ones refer to ($3), and the memories whose credit a review ($2) has not moved yet, in the common
-- lock order. A memory that was corroborated keeps the trust of its source.
select s.memory_id, s.status, s.lesson_id, s.trust = 0 as untrusted, coalesce(s.absorbed, 0) as absorbed
from memory_stat s
where s.project_id = $1 and s.memory_id in (
  select unnest($3::uuid[])
  union all
  select e.memory_id from utility_event e
  where e.project_id = $1 and e.review_id = $2::uuid and e.credited is null and not e.withdrawn)
order by s.memory_id
for update
