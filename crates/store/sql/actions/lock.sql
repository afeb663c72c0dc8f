-- Locks an action, because it may be undone only once and must not grow in the meantime.
select kind, undone_at is not null from action where project_id = $1 and action_id = $2 for update
