-- How many runs are in the judge's queue of a project.
select count(*) from job where project_id = $1 and kind = 10
