-- How many of the newest memories have a near duplicate in another lesson. Both sides are limited, because all pairs are compared.
with newest as materialized (
  select v.memory_id, v.embedding from memory_vector v
  where v.project_id = $1 and v.space_id = (select read_space from project where project_id = $1)
  order by v.memory_id desc
  limit $3
), vectors as materialized (
  select n.memory_id, n.embedding, coalesce(s.lesson_id, m.lesson_digest, n.memory_id) as lesson
  from newest n
  join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id
  join memory m on m.project_id = $1 and m.memory_id = n.memory_id
)
select count(*) as sampled,
       count(*) filter (where exists (select from vectors v
                                      where v.lesson <> compared.lesson
                                        and (v.embedding <#> compared.embedding) < -$4::float8)) as doubled
from (select memory_id, embedding, lesson from vectors order by memory_id desc limit $2) compared
