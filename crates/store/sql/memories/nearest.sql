-- The memories nearest to a query. The function chooses the index. Utility and status come from the narrow table beside it, the
-- digest of the text from an index that holds it. Only texts that are shown have a digest: those of memories that are not grouped
-- or that speak for their lesson. That is mostly its founder, which is found by key.
select n.memory_id, (-n.distance)::real as similarity, s.q, s.credit, s.evidence, s.status, s.author_key, s.source_trace,
       case when s.lesson_id is null or s.memory_id = coalesce(
              (select f.memory_id from memory_stat f
               where f.project_id = $1 and f.memory_id = s.lesson_id and f.lesson_id = s.lesson_id
                 and f.status in (1, 4, 5) and f.trust <> 0),
              lesson_speaker($1, s.lesson_id))
            then m.lesson_digest end as lesson_digest, s.lesson_id, coalesce(s.absorbed, 0) as absorbed
from candidates($1, $2, $3, $4) n
join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id
join memory m on m.project_id = $1 and m.memory_id = n.memory_id
order by n.distance, n.memory_id
