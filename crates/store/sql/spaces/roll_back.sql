-- Reads from the old space again. Both spaces are still written.
with returned as (
  update space_change set state = 3, updated_at = now() where project_id = $1 and state in (2, 3)
  returning from_space
)
update project set read_space = r.from_space from returned r where project_id = $1
