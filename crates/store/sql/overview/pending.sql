-- How many runs wait for a review. Counting stops at a limit.
select count(*) from (select from trace_state
                      where project_id = $1 and not reviewed and review_id is null
                      limit $2) waiting
