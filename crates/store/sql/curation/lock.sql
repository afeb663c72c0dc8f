-- Locks memories in the common lock order and returns their state, with those that they are merged into.
select s.memory_id, s.presence, s.merged_into, s.superseded_by, s.quarantined, s.pinned, s.retired, s.status, s.trust, s.q,
       s.reviews, s.passes, s.credit, s.evidence, s.lesson_id
from memory_stat s
where s.project_id = $1 and s.memory_id in (
  select unnest($2::uuid[])
  union all
  select o.merged_into from memory_stat o
  where o.project_id = $1 and o.memory_id = any($2) and o.merged_into is not null)
order by s.memory_id
for update
