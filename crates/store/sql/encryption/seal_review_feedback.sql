-- Replaces the feedback of a review by its encrypted form, unless it was erased in between.
update review set feedback = $3 where project_id = $1 and review_id = $2 and feedback = $4
