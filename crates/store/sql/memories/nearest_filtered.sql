-- The same among the memories that match a filter. Each key must be present with that value, or with a list that contains
-- it; exclusions have the same form.
select n.memory_id, (-n.distance)::real as similarity, s.q, s.credit, s.evidence, s.status, s.author_key, s.source_trace,
       m.lesson_digest, s.lesson_id, coalesce(s.absorbed, 0) as absorbed
from candidates($1, $2, $3, $4, $5, $6) n
join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id
join memory m on m.project_id = $1 and m.memory_id = n.memory_id
order by n.distance, n.memory_id
