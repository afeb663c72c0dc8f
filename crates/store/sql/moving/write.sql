-- Inserts JSON lines as rows of a project. Existing rows stay unchanged.
select rows_from_lines(parent => $2, project_id => $1, lines => $3::text::jsonb, spaces => $4::jsonb)
