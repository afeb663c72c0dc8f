-- Matches signals with runs, and lets these runs be looked at now. A signal that another transaction has matched meanwhile is
-- skipped, unless it is about all runs with its key: such a signal continues to wait. Returns the runs.
with sent as materialized (
  select * from unnest($2::uuid[], $3::uuid[], $4::boolean[]) as pair (signal_id, trace_id, blind)
), held as materialized (
  select s.signal_id, s.source, s.matching from signal s
  where s.project_id = $1 and s.signal_id = any($2::uuid[]) and s.awaits is not null
  order by s.signal_id
  for update
), ended as (
  update signal s set awaits = null from held
  where s.project_id = $1 and s.signal_id = held.signal_id and held.matching <> 2
), matched as (
  insert into signal_match (project_id, trace_id, signal_id, source, blind, after_review)
  select $1, sent.trace_id, held.signal_id, held.source, sent.blind,
         exists (select from review r
                 where r.project_id = $1 and r.trace_id = sent.trace_id and r.superseded_by is null and r.withdrawn_at is null
                   and not starts_with(r.reviewer, 'judge:') and not starts_with(r.reviewer, 'signal:'))
  from sent join held on held.signal_id = sent.signal_id
  on conflict (project_id, trace_id, signal_id) do nothing
  returning trace_id
)
insert into signal_wait (project_id, trace_id, until)
select distinct $1::int, trace_id, now() from matched order by trace_id
on conflict (project_id, trace_id) do update set until = excluded.until, change = excluded.change
returning trace_id
