-- Feedback of reviews after an id that does not start with the marker of encrypted texts.
select review_id, feedback from review
where project_id = $1 and review_id > $2 and feedback is not null and not starts_with(feedback, $3)
order by review_id limit $4
