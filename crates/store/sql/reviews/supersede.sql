-- Ends a review in favour of another one or none, and removes its draft.
with unused as (
  delete from draft where project_id = $1 and review_id = $2
)
update review set superseded_by = $3, withdrawn_at = case when $3::uuid is null then now() end
where project_id = $1 and review_id = $2
