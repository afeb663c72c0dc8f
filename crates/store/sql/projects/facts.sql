-- What a search or a write must know about a project.
select read_space, write_spaces, space_thresholds, settings, pinned, tag_key, has_signals from project where project_id = $1
