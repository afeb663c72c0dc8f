-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from client_report
where project_id = $1 and client in (select client from client_report where project_id = $1 limit 1000)
