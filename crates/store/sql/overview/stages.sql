-- The progress of the newest runs of the last week: reviewed, learned from, run with memories.
select count(*) as runs,
       count(*) filter (where s.review_id is not null) as reviewed,
       count(*) filter (where s.review_id is not null and s.reviewed) as made,
       count(*) filter (where s.review_id is not null and s.ingest = 3) as failed,
       count(*) filter (where s.review_id is not null and s.ingest in (0, 1)) as queued,
       count(*) filter (where cardinality(t.linked) > 0) as with_memories
from (select project_id, trace_id, linked from trace
      where project_id = $1 and trace_id >= uuid_at(now() - interval '7 days')
      order by trace_id desc
      limit $2) t
join trace_state s on s.project_id = t.project_id and s.trace_id = t.trace_id
                  and s.trace_id >= uuid_at(now() - interval '7 days')
