-- The signals that wait for runs which are being stored, by the keys of the runs and by their ids. The subjects are computed
-- before: with row security, an index cannot evaluate the function.
with run as materialized (
  select trace_id, signal_subject(name, value) as subject
  from unnest($2::uuid[], $3::text[], $4::text[]) as sent (trace_id, name, value)
), found as (
  select s.signal_id, s.matching, run.trace_id,
         row_number() over (partition by s.signal_id order by run.trace_id desc) as place,
         count(*) over (partition by s.signal_id) as runs
  from run
  join signal s on s.project_id = $1 and s.awaits = run.subject
  where s.matching = 0
     or run.trace_id >= uuid_at(s.occurred_at - interval '30 days')
        and run.trace_id < uuid_at(s.occurred_at + interval '1 millisecond')
)
select signal_id, trace_id from found
where matching in (0, 2) or (matching = 1 and place = 1) or (matching = 3 and runs = 1)
order by signal_id, trace_id
