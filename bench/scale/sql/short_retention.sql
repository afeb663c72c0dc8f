-- The project keeps its runs for one day.
update project set settings = settings || '{"retention": {"traces_days": 1}}' where project_id = $1
