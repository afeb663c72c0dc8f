-- The newest runs of one review status before a cursor. The state's index finds them, so that a
-- short queue behind a long history costs what the queue is long.
select t.trace_id, t.task, t.final_response, t.model, t.metadata, t.retrieved, t.retrieval_id, t.reference_context,
       t.link, t.linked, t.used, t.arm,
       t.body_codec, t.body_length, t.body_digest, t.created_at,
       s.ingest, s.reviewed, s.memory_id, s.attempts, s.last_error,
       r.review_id, r.passed, r.feedback, r.alpha, r.mode, r.reviewer, r.authored, r.created_at as reviewed_at
from (select project_id, trace_id, ingest, reviewed, review_id, memory_id, attempts, last_error
      from trace_state
      where project_id = $1 and trace_id < $2 and reviewed = $4
        -- A run that was judged waits for its memory, not for a reviewer.
        and ($4 or review_id is null)
      order by trace_id desc
      limit $3) s
join trace t on t.project_id = s.project_id and t.trace_id = s.trace_id
left join review r on r.project_id = s.project_id and r.review_id = s.review_id
order by t.trace_id desc
