-- Reads from the new space, with the given similarity threshold.
with switched as (
  update space_change set state = 2, switched_at = now(), updated_at = now()
  where project_id = $1 and state in (1, 2, 3)
  returning to_space
)
update project set read_space = s.to_space,
       space_thresholds = case when $2::real is null then space_thresholds
                               else space_thresholds || jsonb_build_object(s.to_space::text, $2::real) end
from switched s
where project_id = $1
