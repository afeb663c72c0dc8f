-- The newest runs that a source and people judged without seeing the other's result: how often they said what. Of the source, the
-- latest signal with a result counts, and of people what they said first: a correction may follow from the signal. Signals of
-- untrusted keys count on neither side.
with unseen as materialized (
  select m.trace_id from signal_match m
  where m.project_id = $1 and m.source = $2 and m.trusted and (m.blind or m.reviewed_before is not null)
    and not exists (select from signal_match v
                    where v.project_id = $1 and v.trace_id = m.trace_id and v.source = $2 and v.trusted
                      and not (v.blind or v.reviewed_before is not null))
  group by m.trace_id order by m.trace_id desc limit $5
), pair as (
  select p.passed, s.said
  from unseen u
  cross join lateral (
    select said, reviewed_before
    from (select g.occurred_at, g.created_at, g.signal_id, m.reviewed_before,
                 case when g.score is null then g.passed when g.score >= $3::float8 then true when g.score < $4::float8 then false end as said
          from signal_match m join signal g on g.project_id = m.project_id and g.signal_id = m.signal_id
          where m.project_id = $1 and m.trace_id = u.trace_id and m.source = $2 and m.trusted) sent
    where said is not null
    order by occurred_at desc, created_at desc, signal_id desc limit 1) s
  cross join lateral (
    select r.passed from review r
    where r.project_id = $1 and r.trace_id = u.trace_id and is_by_person(r.reviewer)
      and (s.reviewed_before is null or r.review_id = s.reviewed_before)
    order by r.created_at, r.review_id limit 1) p
  order by u.trace_id desc limit $6
)
select count(*) filter (where passed) as passes, count(*) filter (where passed and said) as agreed_passes,
       count(*) filter (where not passed) as fails, count(*) filter (where not passed and not said) as agreed_fails
from pair
