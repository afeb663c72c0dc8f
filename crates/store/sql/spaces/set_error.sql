-- Records why an embedding migration waits, or null if it does not.
update space_change set last_error = $3, updated_at = now() where project_id = $1 and change_id = $2
