-- Runs arrived whose ids are older than where retention has come. It restarts at the first of them.
update retention_cursor set restart = least(restart, $2)
where project_id = $1 and kind in (0, 1) and reached >= $2
