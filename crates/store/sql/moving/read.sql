-- A batch of rows of a project as JSON lines, in the order of their key, after a given key.
select line, at, version
from rows_to_move(parent => $2, project_id => $1, after => $3::jsonb, most => $4, spaces => $5::jsonb)
