-- Lines of JSON as rows of a project; those that are there already stay as they are.
select rows_from_lines(parent => $2, project_id => $1, lines => $3::text::jsonb, spaces => $4::jsonb)
