-- Notes why a change waits; null when it does not any more.
update space_change set last_error = $3, updated_at = now() where project_id = $1 and change_id = $2
