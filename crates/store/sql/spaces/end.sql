-- Ends an embedding migration: only the read space is written from now on.
with ended as (
  update space_change set state = case when state = 2 then 5 else 4 end, updated_at = now()
  where project_id = $1 and state = any($2)
  returning project_id
)
update project set write_spaces = array[read_space]
from ended e
where project.project_id = $1
