-- Removes runs with their reviews. A tombstone without content stays, so that a run is not stored again, for example from the
-- spool of a client; it goes with its partition. The ledger keeps its numbers, and memories from these runs stay.
with declared as materialized (
  select t.trace_id, signal_subject(own.key, own.value) as subject
  from trace t cross join jsonb_each_text(t.keys) as own
  where t.project_id = $1 and t.trace_id = any($2)
), gone as (
  update trace set erased_at = now(), task = '', final_response = null, model = null, metadata = '{}', keys = null, retrieved = '{}',
                   retrieval_id = null, reference_context = null, messages = 0,
                   content_digest = decode(repeat('00', 32), 'hex'), body_length = 0,
                   body_digest = decode(repeat('00', 32), 'hex'), key_id = '00000000-0000-0000-0000-000000000000',
                   link = 0, linked = '{}', linked_retrieval = null, used = null, arm = null
  where project_id = $1 and trace_id = any($2) and erased_at is null
  returning trace_id
), bodies as (
  delete from trace_body where project_id = $1 and trace_id = any($2)
), states as (
  delete from trace_state where project_id = $1 and trace_id = any($2) returning trace_id
), entries as (
  -- After the states: the common lock order.
  delete from queue_entry where project_id = $1 and trace_id in (select trace_id from states)
), reviews as (
  delete from review where project_id = $1 and trace_id = any($2) returning review_id
), judgements as (
  delete from judgement where project_id = $1 and trace_id = any($2)
), keys as (
  delete from trace_key k using declared
  where k.project_id = $1 and k.subject = declared.subject and k.trace_id = declared.trace_id
), matches as (
  delete from signal_match where project_id = $1 and trace_id = any($2) returning signal_id
), signals as (
  delete from signal s
  where s.project_id = $1 and s.signal_id in (select signal_id from matches)
    and (select m.trace_id from signal_match m
         where m.project_id = $1 and m.signal_id = s.signal_id and m.trace_id <> all($2) limit 1) is null
), waits as (
  delete from signal_wait where project_id = $1 and trace_id = any($2)
), drafts as (
  delete from draft where project_id = $1 and review_id in (select review_id from reviews)
)
select trace_id from gone order by trace_id
