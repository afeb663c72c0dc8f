-- Advances the cursor of an embedding migration. No row if another process advanced it, or if the migration has ended.
update space_change
set cursor = $4, done = done + $5, total = greatest(total, done + $5), last_error = null, updated_at = now()
where project_id = $1 and change_id = $2 and state = 0 and cursor = $3
