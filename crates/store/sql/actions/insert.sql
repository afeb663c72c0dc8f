-- Stores an action that can be undone.
insert into action (project_id, action_id, actor, kind, summary) values ($1, $2, $3, $4, $5)
