-- Removes a batch of runs older than the project's retention, with their reviews' texts. A run with a live review or a
-- memory loses every text and keeps its row, because the ledger refers to it. Runs that wait for learning stay.
with old as (
  select t.trace_id, s.review_id is not null or s.memory_id is not null as counts
  from trace t left join trace_state s on s.project_id = t.project_id and s.trace_id = t.trace_id
  where t.project_id = $1 and t.trace_id < uuid_at(now() - make_interval(days => $2)) and t.task <> ''
    and coalesce(s.ingest, 2) in (2, 3)
  order by t.trace_id
  limit 1000
), bodies as (
  delete from trace_body where project_id = $1 and trace_id in (select trace_id from old)
), emptied as (
  update trace set task = '', final_response = null, model = null, metadata = '{}', retrieved = '{}', reference_context = null
  where project_id = $1 and trace_id in (select trace_id from old where counts)
), wordless as (
  update review set feedback = null, authored = null
  where project_id = $1 and trace_id in (select trace_id from old)
    and (feedback is not null or authored is not null)
), states as (
  delete from trace_state where project_id = $1 and trace_id in (select trace_id from old where not counts)
), gone as (
  delete from trace where project_id = $1 and trace_id in (select trace_id from old where not counts)
)
select trace_id from old
