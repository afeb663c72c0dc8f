-- Tells a repeated call from a clash of ids.
select content_digest from trace where project_id = $1 and trace_id = $2
