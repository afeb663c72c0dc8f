-- The same among the memories that match a filter. Each key must be present with that value, or with a list that contains
-- it; exclusions have the same form.
select n.memory_id, (-n.distance)::real as similarity, s.q, s.credit, s.evidence, s.status, s.author_key, s.source_trace,
       case when s.lesson_id is null or s.memory_id = coalesce(
              (select f.memory_id from memory_stat f
               where f.project_id = $1 and f.memory_id = s.lesson_id and f.lesson_id = s.lesson_id
                 and f.status in (1, 4, 5) and f.trust <> 0),
              lesson_speaker($1, s.lesson_id))
            then m.lesson_digest end as lesson_digest, s.lesson_id, coalesce(s.absorbed, 0) as absorbed
from candidates($1, $2, $3, $4, $5, $6) n
join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id
join memory m on m.project_id = $1 and m.memory_id = n.memory_id
order by n.distance, n.memory_id
