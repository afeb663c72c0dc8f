-- Adds to the number of situations that are merged into memories; null is 0. The caller holds the locks of the memories. Merges
-- by earlier versions were not counted.
update memory_stat s set absorbed = nullif(greatest(coalesce(s.absorbed, 0) + sent.added, 0), 0)
from unnest($2::uuid[], $3::int[]) as sent (memory_id, added)
where s.project_id = $1 and s.memory_id = sent.memory_id
