-- The run that has waited longest for a review. Deferred runs do not wait.
select t.trace_id, least(t.created_at, uuid_time(t.trace_id)) as created_at
from (select s.project_id, s.trace_id from trace_state s
      where s.project_id = $1 and not s.reviewed and s.review_id is null
        and not exists (select from queue_entry e
                        where e.project_id = $1 and e.trace_id = s.trace_id and e.deferred_until > now())
      order by s.trace_id
      limit 1) s
join trace t on t.project_id = s.project_id and t.trace_id = s.trace_id
