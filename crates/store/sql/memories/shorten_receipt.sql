-- Reduces the served memories of a receipt, because only memories that reached the client may be credited. $4 are the
-- memories that the remaining ones stand for.
update retrieval set served = $3::int, fates = array(
  select case when fate = 0 and place > $3::int then 5 when fate = 7 and memory_id <> all($4::uuid[]) then 5 else fate end
  from unnest(fates, memory_ids) with ordinality as f (fate, memory_id, place)
  order by place)
where project_id = $1 and retrieval_id = $2
