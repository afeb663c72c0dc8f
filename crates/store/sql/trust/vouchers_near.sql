-- Memories that may corroborate a new one: similar task, same result, normally trusted key, live reviews, active or merged into
-- an active one (at most 20 of each). Their texts are compared afterwards.
with nearest as materialized (
  select memory_id, (-distance)::real as similarity from candidates($1, $2, $3, 50)
), speaking as (
  select n.memory_id, n.similarity from nearest n
  union all
  select a.memory_id, n.similarity
  from nearest n
  cross join lateral (
    select s.memory_id from memory_stat s
    where s.project_id = $1 and s.merged_into = n.memory_id and s.status = 5
    limit 20
  ) a
)
select n.memory_id, n.similarity, m.task, m.reflection || ' ' || m.summary as lesson
from speaking n
join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id and s.status in (1, 5) and s.trust >= 1
join memory m on m.project_id = $1 and m.memory_id = n.memory_id and m.success = $4 and m.source_review is not null
where n.similarity > $5
order by n.memory_id
