-- Stores runs with their bodies and states in one round trip. A run whose id is taken is skipped. Arrays are read by
-- subscript: unnest would materialise each of them separately, which costs more than the rest of the statement. The lists
-- of all runs are one array each ($7, $21, $23), with the end of every run's list ($25, $26, $27). Also returns the types of
-- events that the project sends.
with stored as (
  insert into trace (project_id, trace_id, task, final_response, model, metadata, retrieved, retrieval_id,
                     reference_context, messages, content_digest, body_codec, body_length, body_digest, key_id, trust,
                     link, linked, linked_retrieval, used, arm, keys)
  select $1, ($2::uuid[])[i], ($3::text[])[i], ($4::text[])[i], ($5::text[])[i], ($6::jsonb[])[i],
         ($7::text[])[coalesce(($25::int[])[i - 1], 0) + 1 : ($25::int[])[i]], ($8::uuid[])[i],
         ($9::text[])[i], ($10::int[])[i], ($11::bytea[])[i], ($12::smallint[])[i], ($13::int[])[i],
         ($14::bytea[])[i], ($15::uuid[])[i], ($16::smallint[])[i],
         ($20::smallint[])[i], ($21::uuid[])[coalesce(($26::int[])[i - 1], 0) + 1 : ($26::int[])[i]], ($22::uuid[])[i],
         case when ($28::boolean[])[i] then ($23::uuid[])[coalesce(($27::int[])[i - 1], 0) + 1 : ($27::int[])[i]] end,
         ($24::smallint[])[i], ($29::jsonb[])[i]
  from generate_subscripts($2::uuid[], 1) as i
  on conflict (project_id, trace_id) do nothing
  returning trace_id
), bodies as (
  insert into trace_body (project_id, trace_id, body)
  select $1, trace_id, ($17::bytea[])[array_position($2::uuid[], trace_id)] from stored
), states as (
  insert into trace_state (project_id, trace_id, ingest, review_id)
  select $1, trace_id, ($18::smallint[])[array_position($2::uuid[], trace_id)],
         ($19::uuid[])[array_position($2::uuid[], trace_id)]
  from stored
)
select trace_id, (select webhook_types from project where project_id = $1) as webhook_types from stored
