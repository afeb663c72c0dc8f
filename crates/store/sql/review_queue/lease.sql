-- Leases the first of these runs that are free, in the given order. A run with a locked state is being leased or reviewed
-- and is skipped. A run may have been leased since the statement began, so the entry is checked again on update.
with free as (
  select s.trace_id
  from unnest($2::uuid[]) with ordinality as wanted (trace_id, place)
  join trace_state s on s.project_id = $1 and s.trace_id = wanted.trace_id and s.trace_id = any($2::uuid[])
  left join queue_entry e on e.project_id = $1 and e.trace_id = wanted.trace_id
  where not s.reviewed and s.review_id is null
    and coalesce(e.deferred_until, '-infinity') <= now()
    and (coalesce(e.leased_until, '-infinity') <= now() or ($6 and e.lease_holder = $3))
  order by wanted.place
  limit $5
  for update of s skip locked
)
insert into queue_entry as entry (project_id, trace_id, lease_holder, leased_until)
select $1, trace_id, $3, now() + make_interval(secs => $4) from free order by trace_id
on conflict (project_id, trace_id) do update
set lease_holder = excluded.lease_holder, leased_until = excluded.leased_until
where coalesce(entry.deferred_until, '-infinity') <= now()
  and (coalesce(entry.leased_until, '-infinity') <= now() or ($6 and entry.lease_holder = $3))
returning trace_id, leased_until
