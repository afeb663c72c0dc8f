-- Locks the list of pinned memories and returns it.
select pinned from project where project_id = $1 for update
