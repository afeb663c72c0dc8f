-- One action.
select action_id, actor, kind, summary, created_at, undone_at, undone_by from action
where project_id = $1 and action_id = $2
