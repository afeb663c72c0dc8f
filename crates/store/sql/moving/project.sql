-- The row of a project.
select slug, created_at, settings, read_space, write_spaces, space_thresholds, pinned, tag_key
from project where project_id = $1
