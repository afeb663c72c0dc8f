-- Memories in quarantine that a new one may corroborate, locked. Only the newest, because a large quarantine must not
-- slow down learning. Flagged memories wait for a person.
with newest as materialized (
  select p.memory_id, (-(p.embedding <#> (select $3::real[]::halfvec)))::real as similarity
  from (select v.memory_id, v.embedding, v.space_id from parked_vector v
        where v.project_id = $1 order by v.memory_id desc limit 10000) p
  where p.space_id = $2
)
select n.memory_id, n.similarity, m.task, m.reflection || ' ' || m.summary as lesson
from newest n
join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id and s.status = 0
join memory m on m.project_id = $1 and m.memory_id = n.memory_id and m.success = $4 and m.flags = '{}'
where n.similarity > $5
order by n.memory_id
limit 100
for update of s
