-- Whether one of these memories may be served and has no vector in the read space.
select exists (
  select from memory_stat s
  where s.project_id = $1 and s.memory_id = any($2) and s.status = 1
    and not exists (select from memory_vector v
                    where v.project_id = $1 and v.space_id = p.read_space and v.memory_id = s.memory_id))
from project p where p.project_id = $1
