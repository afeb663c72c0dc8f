-- Stores what is announced about a project.
update announced_state set state = $3, changed_at = now() where project_id = $1 and about = $2
