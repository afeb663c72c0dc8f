-- Removes the texts of reviews and keeps their numbers.
update review set feedback = null, authored = null
where project_id = $1 and trace_id = any($2) and (feedback is not null or authored is not null)
