-- Marks an embedding migration as ready to switch: no memory is missing in the new space.
update space_change set state = 1, total = done, last_error = null, updated_at = now()
where project_id = $1 and change_id = $2 and state = 0
