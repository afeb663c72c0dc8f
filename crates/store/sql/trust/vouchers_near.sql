-- Active memories that may corroborate a new one: similar task, same result, normally trusted key, live reviews. Their
-- texts are compared afterwards.
with nearest as materialized (
  select memory_id, (-distance)::real as similarity from candidates($1, $2, $3, 50)
)
select n.memory_id, n.similarity, m.task, m.reflection || ' ' || m.summary as lesson
from nearest n
join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id and s.status = 1 and s.trust >= 1
join memory m on m.project_id = $1 and m.memory_id = n.memory_id and m.success = $4 and m.source_review is not null
where n.similarity > $5
order by n.memory_id
