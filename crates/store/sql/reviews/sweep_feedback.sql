-- Removes the texts of a batch of reviews whose runs were dropped with their partition. Verdicts stay: the ledger refers to
-- them. Continues where the last batch ended, so reviews without text are not read again.
with at as materialized (
  select reached from retention_cursor where project_id = $1 and kind = 3 for update
), start as materialized (
  -- Not in the condition below: with row security, an index cannot evaluate `coalesce`.
  select coalesce((select reached from at), '00000000-0000-0000-0000-000000000000') as reached
), old as materialized (
  -- Only one bound inside: with two, the planner expects few rows, and reads and sorts all of them.
  select trace_id
  from (select trace_id from review
        where project_id = $1 and trace_id > (select reached from start)
        order by trace_id
        limit 1000) t
  where trace_id < (select uuid_at(min(from_at)) from time_partition where parent = 'trace')
), wordless as (
  update review set feedback = null, authored = null
  where project_id = $1 and trace_id in (select trace_id from old)
    and (feedback is not null or authored is not null)
    and not exists (select from trace t where t.project_id = $1 and t.trace_id = review.trace_id)
), moved as (
  insert into retention_cursor (project_id, kind, reached)
  select $1, 3, trace_id from old order by trace_id desc limit 1
  on conflict (project_id, kind) do update set reached = excluded.reached
)
select trace_id from old
