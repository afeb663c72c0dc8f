-- Before an action ($2) is undone: situations among these ($3) that it gave the lesson with their own id, that would not be grouped
-- without it, while others stay in that lesson. The change becomes a part of the action by which one of these joined, so that no
-- lesson has the id of a memory that is not grouped.
with founding as materialized (
  select c.memory_id, c.seq from memory_change c
  where c.project_id = $1 and c.action_id = $2 and c.memory_id = any($3) and c.facet = 6 and not c.undone
    and c.after = to_jsonb(c.memory_id)
    and not exists (select from memory_change o
                    where o.project_id = $1 and o.memory_id = c.memory_id and o.facet = 6 and not o.undone
                      and o.action_id <> $2)
    and (select o.before from memory_change o
         where o.project_id = $1 and o.memory_id = c.memory_id and o.facet = 6
         order by o.seq limit 1) = 'null'
), kept as materialized (
  select f.memory_id, f.seq, stays.action_id
  from founding f
  cross join lateral (
    select j.action_id
    from memory_stat s
    join memory_change j on j.project_id = $1 and j.memory_id = s.memory_id and j.facet = 6 and not j.undone
      and j.action_id <> $2 and j.after = to_jsonb(f.memory_id)
    where s.project_id = $1 and s.lesson_id = f.memory_id and s.lesson_id is not null and s.memory_id <> f.memory_id
      and s.status <> 3
    limit 1
  ) stays
)
update memory_change c set action_id = k.action_id
from kept k
where c.project_id = $1 and c.memory_id = k.memory_id and c.seq = k.seq
