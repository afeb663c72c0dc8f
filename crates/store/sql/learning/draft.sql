-- The reflection that was paid for before.
select reflection from draft where project_id = $1 and review_id = $2
