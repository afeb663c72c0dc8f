-- Replaces the report of a client. Removes reports that are some days old, because host names change.
with gone as (
  delete from client_report
  where project_id = $1 and client in (
    select client from client_report
    where project_id = $1 and client <> $2 and reported_at < now() - make_interval(days => $6)
    limit 1000
    for update skip locked)
)
insert into client_report (project_id, client, sdk, dropped, spooled)
values ($1, $2, $3, $4, $5)
on conflict (project_id, client) do update
set sdk = excluded.sdk, dropped = excluded.dropped, spooled = excluded.spooled, reported_at = now()
