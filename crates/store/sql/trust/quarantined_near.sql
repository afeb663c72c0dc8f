-- Memories in quarantine that a new one may corroborate, locked. Only the newest, because a large quarantine must not
-- slow down learning. Flagged memories wait for a person.
with newest as materialized (
  select q.memory_id, (-(v.embedding <#> (select $3::real[]::halfvec)))::real as similarity
  from (select s.memory_id from memory_stat s
        where s.project_id = $1 and s.status = 0 order by s.memory_id desc limit 10000) q
  join parked_vector v on v.project_id = $1 and v.memory_id = q.memory_id and v.space_id = $2
)
select n.memory_id, n.similarity, m.task, m.reflection || ' ' || m.summary as lesson
from newest n
join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id and s.status = 0
join memory m on m.project_id = $1 and m.memory_id = n.memory_id and m.success = $4 and m.flags = '{}'
where n.similarity > $5
order by n.memory_id
limit 100
for update of s
