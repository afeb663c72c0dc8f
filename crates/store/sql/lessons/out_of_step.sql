-- Absorbed situations that have another lesson than the one that stands for them, if one of the two is among these ($2), with the
-- action by which they were absorbed.
select s.memory_id, s.lesson_id, a.memory_id as absorber, a.lesson_id as absorber_lesson, absorption.action_id
from memory_stat s
join memory_stat a on a.project_id = $1 and a.memory_id = s.merged_into
cross join lateral (
  select c.action_id from memory_change c
  where c.project_id = $1 and c.memory_id = s.memory_id and c.facet = 0 and not c.undone
    and (c.after ->> 'absorbed')::uuid = s.merged_into
  order by c.seq desc
  limit 1
) absorption
where s.project_id = $1 and s.presence = 3 and s.lesson_id is distinct from a.lesson_id
  and s.memory_id in (
    select unnest($2::uuid[])
    union
    select o.memory_id from memory_stat o
    where o.project_id = $1 and o.merged_into = any($2) and o.merged_into is not null)
order by s.memory_id
