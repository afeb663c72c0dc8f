-- How many runs wait for a review: those without one that are not deferred. Counting stops at a limit.
select count(*) from (
  select from trace_state s
  where s.project_id = $1 and not s.reviewed and s.review_id is null
    and not exists (select from queue_entry e
                    where e.project_id = $1 and e.trace_id = s.trace_id and e.deferred_until > now())
  limit $2) waiting
