-- Gives every memory of a project one of a hundred actions, by which lessons are grouped.
update memory set correct_action = 'Follow procedure ' || (metadata ->> 'shop') where project_id = $1
