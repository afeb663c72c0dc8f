-- Stores which runs signals are about, and lets the runs be looked at for which that changes. A signal about one run leaves the
-- run that it was about before. A run without a statement about being blind is like its other signals. A run has at most a
-- thousand signals of trusted keys, and a thousand of others; a further one keeps waiting, so it is removed after 30 days.
-- Returns the runs.
with wanted as materialized (
  select * from unnest($3::uuid[], $4::uuid[], $5::boolean[]) as pair (signal_id, trace_id, blind)
), held as materialized (
  select s.signal_id, s.source, s.matching, s.trust > 0 as trusted, s.key_name is not null as by_key, s.has_run
  from signal s where s.project_id = $1 and s.signal_id = any($2::uuid[])
), fitting as materialized (
  select wanted.signal_id, wanted.trace_id, wanted.blind, held.source, held.trusted
  from wanted join held on held.signal_id = wanted.signal_id
  where exists (select from signal_match m
                where m.project_id = $1 and m.trace_id = wanted.trace_id and m.signal_id = wanted.signal_id)
     or (select count(*) from (select from signal_match m
                               where m.project_id = $1 and m.trace_id = wanted.trace_id and m.trusted = held.trusted
                               limit 1000) others) < 1000
), changed as (
  update signal s set has_run = decided.found, open = decided.by_key
  from (select held.signal_id, held.matching, held.by_key, held.has_run,
               exists (select from fitting f where f.signal_id = held.signal_id) as found
        from held) decided
  where s.project_id = $1 and s.signal_id = decided.signal_id and decided.found <> decided.has_run
    and (decided.found or decided.matching <> 2)
), gone as (
  delete from signal_match m using held
  where m.project_id = $1 and m.signal_id = held.signal_id and held.matching in (1, 3)
    and not exists (select from wanted w where w.signal_id = m.signal_id and w.trace_id = m.trace_id)
  returning m.trace_id
), matched as (
  insert into signal_match (project_id, trace_id, signal_id, source, trusted, blind, reviewed_before)
  select $1, f.trace_id, f.signal_id, f.source, f.trusted,
         coalesce(f.blind, exists (select from signal_match m
                                   where m.project_id = $1 and m.trace_id = f.trace_id and m.blind)),
         (select r.review_id from review r
          where r.project_id = $1 and r.trace_id = f.trace_id and r.superseded_by is null and r.withdrawn_at is null
            and is_by_person(r.reviewer))
  from fitting f
  on conflict (project_id, trace_id, signal_id) do nothing
  returning trace_id
)
insert into signal_wait (project_id, trace_id, until)
select $1::int, trace_id, now() from (select trace_id from matched union select trace_id from gone) touched order by trace_id
on conflict (project_id, trace_id) do update set until = excluded.until, change = excluded.change
returning trace_id
