-- Runs from twenty days ago, each with a review and a memory, numbered from $2 to $3.
with made as (
  select n, (lpad(to_hex((extract(epoch from now() - interval '20 days') * 1000)::bigint + n / 1000), 12, '0')
             || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid as run_id
  from generate_series($2::bigint, $3::bigint) n
), traces as (
  insert into trace (project_id, trace_id, task, final_response, messages, content_digest, body_codec, body_length,
                     body_digest, key_id, trust)
  select $1::int, run_id, 'Refund order ' || n, 'The order is refunded', 2, sha256('scale'), 0, 0, sha256(''), run_id, 1
  from made
), states as (
  insert into trace_state (project_id, trace_id, ingest, reviewed, review_id, memory_id)
  select $1::int, run_id, 2, true, run_id, run_id from made
)
insert into review (project_id, review_id, trace_id, passed, feedback, alpha, mode, reviewer)
select $1::int, run_id, run_id, n % 2 = 0, 'The order was not looked up first', 0.3, 0, 'scale' from made
