-- Runs arrived whose ids may be older than where retention has come. It restarts at the first of them. Also if it has not come
-- there yet: it may pass them before they are committed.
update retention_cursor set restart = least(restart, $2) where project_id = $1 and kind in (0, 1)
