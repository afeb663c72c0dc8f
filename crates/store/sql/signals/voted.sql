-- The signal that has the vote of a feedback token.
select signal_id from signal where project_id = $1 and once = $2
