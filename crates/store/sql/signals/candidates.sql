-- The runs that waiting signals are about, newest first. Locks their states: a transaction that removes a run is waited for, and
-- the run is then not found. Bounds are computed before: with row security, an index cannot evaluate `uuid_at` of a column.
with sent as materialized (
  select s.signal_id, s.trace_id, s.awaits, s.matching,
         uuid_at(s.occurred_at - interval '30 days') as from_id,
         uuid_at(s.occurred_at + interval '1 millisecond') as to_id
  from signal s where s.project_id = $1 and s.signal_id = any($2::uuid[]) and s.awaits is not null
), found as materialized (
  select sent.signal_id, sent.trace_id from sent where sent.trace_id is not null
  union all
  select sent.signal_id, k.trace_id
  from sent
  cross join lateral (
    select declared.trace_id, count(*) over () as runs
    from (select k.trace_id from trace_key k
          where k.project_id = $1 and k.subject = sent.awaits and k.trace_id >= sent.from_id and k.trace_id < sent.to_id
          order by k.trace_id desc
          limit case sent.matching when 1 then 1 when 3 then 2 else 100 end) as declared
  ) as k
  where sent.trace_id is null and (sent.matching <> 3 or k.runs = 1)
)
select found.signal_id, found.trace_id
from found join trace_state t on t.project_id = $1 and t.trace_id = found.trace_id
order by found.signal_id, found.trace_id desc
for key share of t
