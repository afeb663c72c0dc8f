-- The number of vectors of a project in a space, counted up to a limit.
select count(*) from (select from memory_vector where project_id = $1 and space_id = $2 limit $3) counted
