-- An action, held so that it is undone once and not added to meanwhile.
select kind, undone_at is not null from action where project_id = $1 and action_id = $2 for update
