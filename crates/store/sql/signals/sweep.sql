-- Ends the wait of a batch of signals after 30 days: those without a run are removed. Removes a batch of what was about runs whose
-- partition was dropped.
with oldest as materialized (
  select uuid_at(min(from_at)) as id from time_partition where parent = 'trace'
), expired as materialized (
  select signal_id, has_run from signal
  where project_id = $1 and open and signal_id < (select uuid_at(now() - interval '30 days'))
  order by signal_id
  limit 1000
), ended as (
  update signal s set open = false from expired
  where s.project_id = $1 and s.signal_id = expired.signal_id and expired.has_run
), dropped as materialized (
  select m.trace_id, m.signal_id from signal_match m
  where m.project_id = $1 and m.trace_id < (select id from oldest)
  order by m.trace_id
  limit 1000
), matches as (
  delete from signal_match where project_id = $1 and (trace_id, signal_id) in (select trace_id, signal_id from dropped)
), waits as (
  delete from signal_wait where project_id = $1 and trace_id < (select id from oldest)
), signals as (
  delete from signal s
  where s.project_id = $1 and s.signal_id in (
    select signal_id from expired where not has_run
    union
    select d.signal_id from dropped d
    where (select m.trace_id from signal_match m
           where m.project_id = $1 and m.signal_id = d.signal_id and m.trace_id >= (select id from oldest) limit 1) is null)
)
select signal_id from expired union all select signal_id from dropped
