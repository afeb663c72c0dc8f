-- Removes a batch of a deleted project's jobs; repeated until none is left. A running job detects the deletion.
delete from job where project_id = $1 and (kind, subject) in (select kind, subject from job where project_id = $1 limit 1000)
