-- What has to be known of a project to search it and to write to it.
select read_space, write_spaces, space_thresholds, settings, pinned, tag_key from project where project_id = $1
