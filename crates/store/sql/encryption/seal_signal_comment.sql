-- Replaces the comment of a signal by its encrypted form, unless it was changed or erased in between.
update signal set comment = $3 where project_id = $1 and signal_id = $2 and comment = $4
