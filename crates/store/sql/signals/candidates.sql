-- The runs that signals are about. A key means runs that began in the 30 days before the signal; if there is none, the first that
-- began within an hour after it, because the id of a run may be made at its end. Locks the states of the runs: a transaction that
-- removes a run is waited for, and the run is then not found. Bounds are computed before: with row security, an index cannot
-- evaluate a function of a column.
with sent as materialized (
  select s.signal_id, s.trace_id, s.subject, s.matching, s.bounded, s.key_id,
         uuid_at(s.occurred_at - interval '30 days') as from_id,
         uuid_at(s.occurred_at + interval '1 millisecond') as to_id,
         uuid_at(s.occurred_at + interval '1 hour') as last_id
  from signal s where s.project_id = $1 and s.signal_id = any($2::uuid[]) and s.open
), earlier as materialized (
  select sent.signal_id, sent.matching, k.trace_id, k.runs
  from sent
  cross join lateral (
    select declared.trace_id, count(*) over () as runs
    from (select k.trace_id from trace_key k
          where k.project_id = $1 and k.subject = sent.subject and k.trace_id >= sent.from_id and k.trace_id < sent.to_id
          order by k.trace_id desc
          limit case sent.matching when 1 then 1 when 3 then 2 else 100 end) as declared
  ) as k
  where sent.trace_id is null
), later as materialized (
  select sent.signal_id, sent.matching, k.trace_id, k.runs
  from sent
  cross join lateral (
    select declared.trace_id, count(*) over () as runs
    from (select k.trace_id from trace_key k
          where k.project_id = $1 and k.subject = sent.subject and k.trace_id >= sent.to_id and k.trace_id < sent.last_id
          order by k.trace_id
          limit case sent.matching when 3 then 2 else 1 end) as declared
  ) as k
  where sent.trace_id is null and sent.signal_id not in (select signal_id from earlier)
), found as materialized (
  select signal_id, trace_id from sent where trace_id is not null
  union all
  select signal_id, trace_id from earlier where matching <> 3 or runs = 1
  union all
  select signal_id, trace_id from later where matching <> 3 or runs = 1
)
select found.signal_id, found.trace_id
from found
join sent on sent.signal_id = found.signal_id
join trace_state t on t.project_id = $1 and t.trace_id = found.trace_id
where not sent.bounded
   or (select r.key_id from trace r where r.project_id = $1 and r.trace_id = found.trace_id) = sent.key_id
order by found.trace_id, found.signal_id
for key share of t
