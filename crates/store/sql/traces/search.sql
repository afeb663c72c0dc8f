-- Runs that match a filter, newest first. Reads at most $4 runs, so a filter without matches does not read the whole
-- history.
select t.trace_id, least(t.created_at, uuid_time(t.trace_id)) as created_at, left(t.task, 400) as task, t.model, t.metadata, t.messages, t.linked,
       t.body_codec, t.body_length, t.body_digest,
       s.ingest, s.reviewed, s.memory_id, r.passed, r.reviewer
from (select project_id, trace_id, created_at, task, final_response, model, metadata, messages, linked,
             body_codec, body_length, body_digest
      from trace
      where project_id = $1 and trace_id < $2 and trace_id >= $3
      order by trace_id desc
      limit $4) t
join trace_state s on s.project_id = t.project_id and s.trace_id = t.trace_id and s.trace_id < $2 and s.trace_id >= $3
left join review r on r.project_id = s.project_id and r.review_id = s.review_id
where ($6::boolean is null or s.reviewed = $6 and ($6 or s.review_id is null))
  and ($7::smallint is null or s.ingest = $7)
  and ($8::boolean is null or r.passed = $8)
  and ($9::text is null or t.model = $9)
  and ($10::text is null or starts_with(t.model, $10))
  and ($11::text is null or strpos(lower(t.task), lower($11)) > 0 or strpos(lower(t.final_response), lower($11)) > 0)
  and ($12::uuid is null or $12 = any(t.linked))
order by t.trace_id desc
limit $5
