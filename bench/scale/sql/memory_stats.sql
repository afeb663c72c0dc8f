-- The utility of every memory that has none yet. Ten reviews each, with any number of passes.
insert into memory_stat (project_id, memory_id, q, reviews, passes)
select m.project_id, m.memory_id, passes / 10.0, 10, passes
from memory m cross join lateral (select (hashtext(m.memory_id::text) & 2147483647) % 11 as passes) drawn
where not exists (select from memory_stat s where s.project_id = m.project_id and s.memory_id = m.memory_id)
