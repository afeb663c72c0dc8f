-- Stores runs with their bodies and states in one round trip. A run whose id is taken is skipped.
with stored as (
  insert into trace (project_id, trace_id, task, final_response, model, metadata, retrieved, retrieval_id,
                     reference_context, messages, content_digest, body_codec, body_length, body_digest, key_id, trust,
                     link, linked, linked_retrieval, used, arm)
  select $1, trace_id, task, final_response, model, metadata, array(select jsonb_array_elements_text(retrieved)),
         retrieval_id, reference_context, messages, content_digest, body_codec, body_length, body_digest, key_id, trust,
         link, array(select jsonb_array_elements_text(linked)::uuid), linked_retrieval,
         case when used is not null then array(select jsonb_array_elements_text(used)::uuid) end, arm
  from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[], $8::uuid[], $9::text[],
              $10::int[], $11::bytea[], $12::smallint[], $13::int[], $14::bytea[], $15::uuid[], $16::smallint[], $20::smallint[],
              $21::jsonb[], $22::uuid[], $23::jsonb[], $24::smallint[])
    as sent (trace_id, task, final_response, model, metadata, retrieved, retrieval_id, reference_context,
             messages, content_digest, body_codec, body_length, body_digest, key_id, trust, link, linked,
             linked_retrieval, used, arm)
  on conflict (project_id, trace_id) do nothing
  returning trace_id
), bodies as (
  insert into trace_body (project_id, trace_id, body)
  select $1, trace_id, body
  from unnest($2::uuid[], $17::bytea[]) as sent (trace_id, body) join stored using (trace_id)
), states as (
  insert into trace_state (project_id, trace_id, ingest, review_id)
  select $1, trace_id, ingest, review_id
  from unnest($2::uuid[], $18::smallint[], $19::uuid[]) as sent (trace_id, ingest, review_id) join stored using (trace_id)
)
select trace_id from stored
