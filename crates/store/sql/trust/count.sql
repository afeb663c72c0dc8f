-- How many independent sources say what these memories say.
update memory_stat s set corroborations = sent.count
from unnest($2::uuid[], $3::smallint[]) as sent (memory_id, count)
where s.project_id = $1 and s.memory_id = sent.memory_id
