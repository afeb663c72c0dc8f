-- Counts of the queue. Waiting runs are counted from the oldest on, up to a limit.
with waiting as materialized (
  select s.trace_id from trace_state s
  where s.project_id = $1 and not s.reviewed and s.review_id is null
  order by s.trace_id limit $2
), entries as materialized (
  select e.trace_id, e.deferred_until > now() as deferred, e.leased_until > now() as leased
  from queue_entry e
  join trace_state s on s.project_id = $1 and s.trace_id = e.trace_id and not s.reviewed and s.review_id is null
  where e.project_id = $1 and (e.deferred_until > now() or e.leased_until > now())
), pending as (
  select trace_id from waiting where trace_id not in (select trace_id from entries)
)
select (select count(*) from pending) as pending,
       (select count(*) from entries where leased and deferred is not true) as leased,
       (select count(*) from entries where deferred) as deferred,
       (select extract(epoch from now() - least(t.created_at, uuid_time(t.trace_id)))::float8 from trace t
        where t.project_id = $1 and t.trace_id = (select trace_id from pending order by trace_id limit 1))
         as oldest_pending,
       (select count(*) from (
          select from review r
          where r.project_id = $1 and r.review_id >= uuid_at(date_trunc('day', now(), 'UTC')) and r.mode = 1
            and r.superseded_by is null and r.withdrawn_at is null and is_by_person(r.reviewer)
          limit $2) counted) as reviewed_today
