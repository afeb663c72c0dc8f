-- Defers a run until a time or for a duration, unless that is in the past or too far away. Ends the lease of the reviewer.
with due as (
  select coalesce($3::timestamptz, now() + make_interval(secs => $4::float8)) as until
)
insert into queue_entry as entry (project_id, trace_id, deferred_until, deferred_by, deferred_note)
select $1, $2, until, $5, $6 from due
where until > now() and until <= now() + make_interval(secs => $7)
on conflict (project_id, trace_id) do update
set deferred_until = excluded.deferred_until, deferred_by = excluded.deferred_by,
    deferred_note = excluded.deferred_note,
    lease_holder = case when entry.lease_holder <> $5 then entry.lease_holder end,
    leased_until = case when entry.lease_holder <> $5 then entry.leased_until end
returning deferred_until
