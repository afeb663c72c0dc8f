-- Starts an embedding migration: memories are written to both spaces. No row if the project's read space changed in the
-- meantime.
with moved as (
  update project set write_spaces = array[$2, $3]::smallint[]
  where project_id = $1 and read_space = $2 and deleted_at is null
  returning project_id
)
insert into space_change (project_id, change_id, from_space, to_space, total)
select $1, $4, $2, $3,
       (select count(*) from memory m
        join memory_stat s on s.project_id = m.project_id and s.memory_id = m.memory_id
        where m.project_id = $1 and s.status not in (2, 3)
          and not exists (select from memory_vector v
                          where v.project_id = $1 and v.space_id = $3 and v.memory_id = m.memory_id)
          and not exists (select from parked_vector p
                          where p.project_id = $1 and p.space_id = $3 and p.memory_id = m.memory_id))
from moved
