-- Handles a batch of runs older than the project's retention, with their reviews' texts. A run with a live review or a
-- memory loses every text and keeps its row, because the ledger refers to it. Other runs are removed. Runs that wait for
-- learning stay.
--
-- Continues where the last batch ended, so rows without text are not read again. At the end, the next round restarts at the
-- first run that had to wait, or that arrived late (`retention/reopen.sql`). Returns the rows of the batch.
with at as materialized (
  select reached, restart from retention_cursor where project_id = $1 and kind = 0 for update
), start as materialized (
  -- Not in the condition below: with row security, an index cannot evaluate `coalesce`.
  select coalesce((select reached from at), '00000000-0000-0000-0000-000000000000') as reached
), old as materialized (
  select t.trace_id, t.has_text, coalesce(s.ingest, 2) in (2, 3) as is_done, coalesce(s.counts, false) as counts
  -- Only one bound inside: with two, the planner expects few rows, and reads and sorts all of them.
  from (select trace_id, task <> '' as has_text from trace
        where project_id = $1 and trace_id > (select reached from start)
        order by trace_id
        limit 1000) t
  left join lateral (
    select ingest, review_id is not null or memory_id is not null as counts from trace_state
    where project_id = $1 and trace_id = t.trace_id
    offset 0
  ) s on true
  where t.trace_id < (select uuid_at(now() - make_interval(days => $2)))
), batch as materialized (
  -- The bounds select the partitions.
  select (select trace_id from old order by trace_id limit 1) as first,
         (select trace_id from old order by trace_id desc limit 1) as last,
         (select trace_id from old where has_text and not is_done order by trace_id limit 1) as waiting
), due as materialized (
  select trace_id, counts from old where has_text and is_done
), declared as materialized (
  -- The bounds select the partitions. The subjects are computed before: with row security, an index cannot evaluate the function.
  select t.trace_id, signal_subject(own.key, own.value) as subject
  from trace t cross join jsonb_each_text(t.keys) as own
  where t.project_id = $1 and t.trace_id in (select trace_id from due)
    and t.trace_id >= (select first from batch) and t.trace_id <= (select last from batch)
), keys as (
  delete from trace_key k using declared
  where k.project_id = $1 and k.subject = declared.subject and k.trace_id = declared.trace_id
    and k.trace_id >= (select first from batch) and k.trace_id <= (select last from batch)
), bodies as (
  delete from trace_body where project_id = $1 and trace_id in (select trace_id from due)
    and trace_id >= (select first from batch) and trace_id <= (select last from batch)
), emptied as (
  update trace set task = '', final_response = null, model = null, metadata = '{}', keys = null, retrieved = '{}',
                   reference_context = null
  where project_id = $1 and trace_id in (select trace_id from due where counts)
    and trace_id >= (select first from batch) and trace_id <= (select last from batch)
), wordless as (
  update review set feedback = null, authored = null
  where project_id = $1 and trace_id in (select trace_id from due)
    and trace_id >= (select first from batch) and trace_id <= (select last from batch)
    and (feedback is not null or authored is not null)
), states as (
  delete from trace_state where project_id = $1 and trace_id in (select trace_id from due where not counts)
    and trace_id >= (select first from batch) and trace_id <= (select last from batch)
), gone as (
  delete from trace where project_id = $1 and trace_id in (select trace_id from due where not counts)
    and trace_id >= (select first from batch) and trace_id <= (select last from batch)
), moved as (
  insert into retention_cursor (project_id, kind, reached, restart)
  select $1, 0, last, least(waiting, (select restart from at)) from batch where last is not null
  on conflict (project_id, kind) do update set reached = excluded.reached, restart = excluded.restart
), restarted as (
  -- The smallest id of the same millisecond, which comes before the run itself.
  update retention_cursor
  set reached = least(reached, (left(restart::text, 13) || '-0000-0000-000000000000')::uuid), restart = null
  where project_id = $1 and kind = 0 and restart is not null and not exists (select from old)
)
select trace_id from old
