-- Removes a batch of messages older than the project's retention. Continues where the last batch ended, and restarts at runs
-- that arrived late (`retention/reopen.sql`).
with at as materialized (
  select reached, restart from retention_cursor where project_id = $1 and kind = 1 for update
), start as materialized (
  -- Not in the condition below: with row security, an index cannot evaluate `coalesce`.
  select coalesce((select reached from at), '00000000-0000-0000-0000-000000000000') as reached
), old as materialized (
  -- Only one bound inside: with two, the planner expects few rows, and reads and sorts all of them.
  select trace_id
  from (select trace_id from trace_body
        where project_id = $1 and trace_id > (select reached from start)
        order by trace_id
        limit 1000) t
  where trace_id < (select uuid_at(now() - make_interval(days => $2)))
), gone as (
  delete from trace_body where project_id = $1 and trace_id in (select trace_id from old)
    -- The bounds select the partitions.
    and trace_id >= (select trace_id from old order by trace_id limit 1)
    and trace_id <= (select trace_id from old order by trace_id desc limit 1)
), moved as (
  insert into retention_cursor (project_id, kind, reached, restart)
  select $1, 1, trace_id, (select restart from at) from old order by trace_id desc limit 1
  on conflict (project_id, kind) do update set reached = excluded.reached, restart = excluded.restart
), restarted as (
  update retention_cursor
  set reached = least(reached, (left(restart::text, 13) || '-0000-0000-000000000000')::uuid), restart = null
  where project_id = $1 and kind = 1 and restart is not null and not exists (select from old)
)
select trace_id from old
