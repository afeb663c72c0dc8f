-- The signals of each source in the last days: how many were received, and how many reviews they made that still count. Only the
-- sources with the most signals: a client may have a name for each build.
with recent as (
  select s.source, count(*) as signals, count(*) filter (where not s.has_run) as waiting
  from (select source, has_run from signal
        where project_id = $1 and signal_id >= uuid_at(now() - make_interval(days => $2))
        order by signal_id desc limit $3) s
  group by s.source
), made as (
  select substr(r.reviewer, 8) as source, count(*) as reviews
  from (select reviewer from review
        where project_id = $1 and review_id >= uuid_at(now() - make_interval(days => $2))
          and superseded_by is null and withdrawn_at is null
        order by review_id desc limit $3) r
  where starts_with(r.reviewer, 'signal:')
  group by 1
)
select coalesce(recent.source, made.source) as source, coalesce(signals, 0) as signals, coalesce(waiting, 0) as waiting,
       coalesce(reviews, 0) as reviews
from recent full join made on made.source = recent.source
order by coalesce(signals, 0) desc, source
limit $4
