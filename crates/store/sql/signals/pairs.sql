-- The newest runs with signals of a source that their reviewer had not seen: how often the source and people said what. Of the
-- signals about a run, the latest counts; those of untrusted keys do not. Reads a limited number of signals, because most runs
-- may have no review.
with unseen as materialized (
  select m.trace_id, m.signal_id from signal_match m
  where m.project_id = $1 and m.source = $2 and (m.blind or m.after_review)
    and not exists (select from signal_match v
                    where v.project_id = $1 and v.trace_id = m.trace_id and v.source = $2 and not (v.blind or v.after_review))
  order by m.trace_id desc limit $5
), pair as (
  select distinct on (u.trace_id) u.trace_id, r.passed,
         case when s.score is null then s.passed when s.score >= $3::float8 then true when s.score < $4::float8 then false end as said
  from unseen u
  join signal s on s.project_id = $1 and s.signal_id = u.signal_id and s.trust > 0
  join review r on r.project_id = $1 and r.trace_id = u.trace_id and r.superseded_by is null and r.withdrawn_at is null
               and not starts_with(r.reviewer, 'judge:') and not starts_with(r.reviewer, 'signal:')
  order by u.trace_id desc, s.occurred_at desc, s.created_at desc, s.signal_id desc
), counted as (
  select passed, said from pair where said is not null order by trace_id desc limit $6
)
select count(*) filter (where passed) as passes, count(*) filter (where passed and said) as agreed_passes,
       count(*) filter (where not passed) as fails, count(*) filter (where not passed and not said) as agreed_fails
from counted
