-- One at a time changes which memories are pinned. Says which were.
select pinned from project where project_id = $1 for update
