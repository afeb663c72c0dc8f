-- Marks an action as undone.
update action set undone_at = now(), undone_by = $3 where project_id = $1 and action_id = $2
