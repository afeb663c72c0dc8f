-- Locks the signals that runs which are being stored may change, by the keys of the runs and by their ids: of the newest thousand
-- for each, those of a time when the run had begun. A signal counts for runs that began up to an hour later.
with run as materialized (
  select signal_subject(name, value) as subject, uuid_time(trace_id) - interval '1 hour' as since
  from unnest($2::uuid[], $3::text[], $4::text[]) as sent (trace_id, name, value)
), waiting as materialized (
  select s.signal_id
  from run
  cross join lateral (
    select w.signal_id, w.trace_id, w.occurred_at from signal w
    where w.project_id = $1 and w.subject = run.subject and w.open
    order by w.signal_id desc
    limit 1000) s
  where s.trace_id is not null or s.occurred_at >= run.since
)
select s.signal_id from signal s
where s.project_id = $1 and s.signal_id in (select signal_id from waiting) and s.open
order by s.signal_id
for update
