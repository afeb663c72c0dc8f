-- Memories without a vector in a space, oldest first. Includes memories that may not be served now, because that can
-- change; excludes retired and erased ones.
select m.memory_id, m.task, m.reflection from memory m
join memory_stat s on s.project_id = m.project_id and s.memory_id = m.memory_id
where m.project_id = $1 and s.status not in (2, 3) and m.memory_id > $3
  and not exists (select from memory_vector v
                  where v.project_id = $1 and v.space_id = $2 and v.memory_id = m.memory_id)
  and not exists (select from parked_vector p
                  where p.project_id = $1 and p.space_id = $2 and p.memory_id = m.memory_id)
order by m.memory_id
limit 32
