-- Removes a batch of receipts older than the project's retention. Continues where the last batch ended: their ids are given by
-- the server, so none arrives late.
with at as materialized (
  select reached from retention_cursor where project_id = $1 and kind = 2 for update
), start as materialized (
  -- Not in the condition below: with row security, an index cannot evaluate `coalesce`.
  select coalesce((select reached from at), '00000000-0000-0000-0000-000000000000') as reached
), old as materialized (
  -- Only one bound inside: with two, the planner expects few rows, and reads and sorts all of them.
  select retrieval_id
  from (select retrieval_id from retrieval
        where project_id = $1 and retrieval_id > (select reached from start)
        order by retrieval_id
        limit 1000) t
  where retrieval_id < (select uuid_at(now() - make_interval(days => $2)))
), gone as (
  delete from retrieval where project_id = $1 and retrieval_id in (select retrieval_id from old)
    -- The bounds select the partitions.
    and retrieval_id >= (select retrieval_id from old order by retrieval_id limit 1)
    and retrieval_id <= (select retrieval_id from old order by retrieval_id desc limit 1)
), moved as (
  insert into retention_cursor (project_id, kind, reached)
  select $1, 2, retrieval_id from old order by retrieval_id desc limit 1
  on conflict (project_id, kind) do update set reached = excluded.reached
)
select retrieval_id from old
