-- Renews the leases of a holder. An expired lease still belongs to the holder if it was not taken by another one, and so
-- does a run without an entry: its review was withdrawn, or maintenance removed the expired lease.
with kept as (
  select s.trace_id
  from trace_state s
  left join queue_entry e on e.project_id = $1 and e.trace_id = s.trace_id
  where s.project_id = $1 and s.trace_id = any($2::uuid[])
    and not s.reviewed and s.review_id is null
    and (e.lease_holder = $3 or e.lease_holder is null and coalesce(e.deferred_until, '-infinity') <= now())
  order by s.trace_id
  for update of s
)
insert into queue_entry as entry (project_id, trace_id, lease_holder, leased_until)
select $1, trace_id, $3, now() + make_interval(secs => $4) from kept order by trace_id
on conflict (project_id, trace_id) do update
set lease_holder = excluded.lease_holder, leased_until = excluded.leased_until
where entry.lease_holder = $3
  or entry.lease_holder is null and coalesce(entry.deferred_until, '-infinity') <= now()
returning trace_id, leased_until
