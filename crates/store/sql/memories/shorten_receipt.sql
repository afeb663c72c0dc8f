-- Fewer memories went out than were found: only those may be credited.
update retrieval set served = $3::int, fates = array(
  select case when fate = 0 and place > $3::int then 5 else fate end from unnest(fates) with ordinality as f (fate, place)
  order by place)
where project_id = $1 and retrieval_id = $2
