-- A tombstone for a run that is to be erased and is not stored, because it may still arrive. Waits for a transaction that is
-- storing it. Ids outside of this time are not accepted anyway.
insert into trace (project_id, trace_id, task, messages, content_digest, body_codec, body_length, body_digest, key_id, trust,
                   erased_at)
select $1, $2, '', 0, decode(repeat('00', 32), 'hex'), 0, 0, decode(repeat('00', 32), 'hex'),
       '00000000-0000-0000-0000-000000000000', 1, now()
where $2::uuid >= uuid_at(now() - interval '31 days') and $2::uuid < uuid_at(now() + interval '1 day')
on conflict (project_id, trace_id) do nothing
