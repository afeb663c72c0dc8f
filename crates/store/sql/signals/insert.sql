-- Stores signals and returns the ids of those that are new. A signal whose idempotency key was used is skipped.
insert into signal (project_id, signal_id, source, trace_id, key_name, key_value, passed, score, occurred_at, comment, url, metadata,
                    key_id, trust, once, content_digest, matching, subject)
select $1, signal_id, source, trace_id, key_name, key_value, passed, score, occurred_at, comment, url, metadata, $15, $16, once,
       content_digest, matching,
       case when trace_id is null then signal_subject(key_name, key_value) else signal_subject('trace_id', trace_id::text) end
from unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::boolean[], $8::float8[], $9::timestamptz[], $10::text[],
            $11::text[], $12::jsonb[], $13::bytea[], $14::bytea[], $17::smallint[])
  as sent (signal_id, source, trace_id, key_name, key_value, passed, score, occurred_at, comment, url, metadata, once,
           content_digest, matching)
order by once, signal_id
on conflict (project_id, once) where once is not null do nothing
returning signal_id
