-- Adds an embedding space to a project, and reads from it if the project has no other.
update project set read_space = coalesce(read_space, $2),
                   write_spaces = case when $2 = any(write_spaces) then write_spaces else write_spaces || $2::smallint end
where project_id = $1 and (read_space is null or not $2 = any(write_spaces))
