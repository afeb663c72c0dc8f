-- The next memories that are not grouped, after the last one that the grouping has looked at, with their vectors in a space ($2).
-- Vectors are found by key: a kept plan would join all parked vectors.
select s.memory_id, m.correct_action, m.reflection, s.trust = 0 as untrusted, s.quarantined,
       coalesce((select v.embedding from memory_vector v
                 where v.project_id = $1 and v.space_id = $2::smallint and v.memory_id = s.memory_id),
                (select p.embedding from parked_vector p
                 where p.project_id = $1 and p.space_id = $2::smallint and p.memory_id = s.memory_id))::real[] as vector
from (select memory_id, trust, quarantined from memory_stat
      where project_id = $1 and lesson_id is null and status <> 3
        and memory_id > coalesce((select grouped_to from learning_stat where project_id = $1),
                                 '00000000-0000-0000-0000-000000000000')
      order by memory_id
      limit $3) s
join memory m on m.project_id = $1 and m.memory_id = s.memory_id
order by s.memory_id
