-- All reviews that runs ever had.
select review_id from review where project_id = $1 and trace_id = any($2)
