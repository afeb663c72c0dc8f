-- The memories nearest to a query. The function chooses the index. Utility and status come from the narrow table beside it, the
-- digest of the lesson from an index that holds it.
select n.memory_id, (-n.distance)::real as similarity, s.q, s.credit, s.evidence, s.status, s.author_key, s.source_trace,
       m.lesson_digest, s.lesson_id, coalesce(s.absorbed, 0) as absorbed
from candidates($1, $2, $3, $4) n
join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id
join memory m on m.project_id = $1 and m.memory_id = n.memory_id
order by n.distance, n.memory_id
