-- Links a judgement to the review that it became.
update judgement set applied_review = $3 where project_id = $1 and trace_id = $2
