-- Removes drafts of lessons that are not memories yet.
delete from draft where project_id = $1 and review_id = any($2)
