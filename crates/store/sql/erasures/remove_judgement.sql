-- Removes the verdicts of the judge on runs.
delete from judgement where project_id = $1 and trace_id = any($2)
