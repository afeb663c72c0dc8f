-- Stores a run with its body and its state in one round trip, or nothing when the id is taken.
with stored as (
  insert into trace (project_id, trace_id, task, final_response, model, metadata, retrieved, retrieval_id,
                     reference_context, messages, content_digest, body_codec, body_length, body_digest, key_id, trust,
                     link, linked, linked_retrieval, used, arm)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $20, $21, $22, $23, $24)
  on conflict (project_id, trace_id) do nothing
  returning project_id, trace_id
), body as (
  insert into trace_body (project_id, trace_id, body)
  select project_id, trace_id, $17 from stored
), state as (
  insert into trace_state (project_id, trace_id, ingest, review_id)
  select project_id, trace_id, $18, $19 from stored
)
select exists (select from stored)
