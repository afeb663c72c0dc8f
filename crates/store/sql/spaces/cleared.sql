-- Records that the abandoned space is empty.
update space_change set cleared_at = now(), updated_at = now()
where project_id = $1 and state in (4, 5) and cleared_at is null
