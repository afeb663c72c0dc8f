-- The stored draft of a reflection.
select reflection from draft where project_id = $1 and review_id = $2
