-- Active memories that have no vector in a space, oldest first: made before there was an embedder.
select m.memory_id, m.task from memory m
join memory_stat s on s.project_id = m.project_id and s.memory_id = m.memory_id
where m.project_id = $1 and s.status = 1 and m.memory_id > $3
  and not exists (select from memory_vector v
                  where v.project_id = $1 and v.space_id = $2 and v.memory_id = m.memory_id)
order by m.memory_id
limit 64
