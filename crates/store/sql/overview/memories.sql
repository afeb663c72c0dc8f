-- The newest memories that may be served.
select m.memory_id, left(m.task, 200) as task, left(coalesce(nullif(m.summary, ''), m.reflection), 300) as summary,
       m.origin, m.success, m.created_at
from memory m
join memory_stat s on s.project_id = m.project_id and s.memory_id = m.memory_id
where m.project_id = $1 and s.status = 1
order by m.memory_id desc
limit $2
