-- Replaces a body by its encrypted form.
update trace_body set body = $3 where project_id = $1 and trace_id = $2
