-- Whether a run of the project still has its texts.
select exists (select from trace where project_id = $1 and task <> '')
