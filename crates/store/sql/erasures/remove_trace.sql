-- Removes the content of the runs last, because the remaining runs are the work that is left. A tombstone stays, so that a run is
-- not stored again, for example from the spool of a client; it goes with its partition.
update trace set erased_at = now(), task = '', final_response = null, model = null, metadata = '{}', keys = null, retrieved = '{}',
                 retrieval_id = null, reference_context = null, messages = 0,
                 content_digest = decode(repeat('00', 32), 'hex'), body_length = 0,
                 body_digest = decode(repeat('00', 32), 'hex'), key_id = '00000000-0000-0000-0000-000000000000',
                 link = 0, linked = '{}', linked_retrieval = null, used = null, arm = null
where project_id = $1 and trace_id = any($2) and erased_at is null
