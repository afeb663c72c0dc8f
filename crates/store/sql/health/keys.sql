-- Keys of the project that were used lately: those that expire soon, and those that have expired and are still used.
with used as materialized (
  select public_id, label, expires_at, last_used_at,
         expires_at > now() and expires_at < now() + make_interval(days => $3) as expiring,
         expires_at <= now() and last_used_at > expires_at and last_used_at > now() - interval '1 day' as expired
  from api_key
  where project_id = $1 and revoked_at is null and last_used_at >= now() - make_interval(days => $2)
), first as (
  select public_id, label, expires_at from used where expiring or expired order by expires_at, public_id limit 1
)
select count(*) as used, count(*) filter (where expiring) as expiring, count(*) filter (where expired) as expired,
       (select public_id from first) as first, (select label from first) as first_label,
       (select expires_at from first) as first_at
from used
