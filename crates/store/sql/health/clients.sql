-- Recent reports of clients, and the client that loses most.
with recent as materialized (
  select client, sdk, dropped, spooled, reported_at from client_report
  where project_id = $1 and reported_at >= now() - make_interval(days => $2)
), worst as (
  select client, sdk, dropped, spooled, reported_at from recent
  where dropped > 0 or spooled > 0
  order by dropped desc, spooled desc, client
  limit 1
)
select (select count(*) from recent) as reporting,
       (select count(*) from recent where dropped > 0 or spooled > 0) as losing,
       coalesce((select sum(dropped) from recent), 0)::bigint as dropped,
       coalesce((select sum(spooled) from recent), 0)::bigint as spooled,
       (select client from worst) as worst, (select sdk from worst) as worst_sdk,
       (select reported_at from worst) as worst_at
