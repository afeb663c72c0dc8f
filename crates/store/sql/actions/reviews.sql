-- Some live reviews of a batch, in order.
select review_id, trace_id from review
where project_id = $1 and action_id = $2 and review_id > $3 and superseded_by is null and withdrawn_at is null
order by review_id
limit 100
