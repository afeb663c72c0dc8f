-- Runs that arrive as OpenTelemetry spans, until they have ended.
--
-- The spans of a run arrive in any order, in many requests, and some of them twice. They wait here under their own ids, and become
-- one trace when the run has ended. Afterwards the row of the run stays for some days, so that spans which arrive again are
-- recognised. A project without such runs has no rows here.
create table otlp_run (
  project_id int not null,
  -- The trace id of OpenTelemetry.
  otlp_id uuid not null,
  -- The trace that the run becomes. Chosen once, so that a second attempt to store the run stores nothing.
  trace_id uuid not null,
  state smallint not null default 0 check (state between 0 and 3),  -- 0 open 1 closed 2 stored 3 refused
  -- Whether its root has ended.
  root_ended boolean not null default false,
  -- The key that sent the first span, and the lowest trust of all keys.
  key_id uuid not null,
  key_name text not null,
  trust smallint not null check (trust in (0, 1, 2)),
  -- How many spans wait, how large they are before compression, and how many were dropped because there were too many.
  parts int not null default 0,
  bytes bigint not null default 0,
  dropped int not null default 0,
  -- When it is closed, unless another span arrives before.
  due_at timestamptz not null,
  -- The spans of a closed run. One of them that arrives again is a repetition; any other span is too late.
  merged uuid[] not null default '{}',
  last_error text,
  created_at timestamptz not null default now(),
  primary key (project_id, otlp_id)
) partition by hash (project_id);
create index otlp_run_waiting on otlp_run (project_id, created_at) where state < 2;
create index otlp_run_ended on otlp_run (project_id, created_at) where state >= 2;

-- What one span says about its run, redacted.
create table otlp_part (
  project_id int not null,
  otlp_id uuid not null,
  -- The id of the span, or a digest of a log record, which has no id.
  part_id uuid not null,
  codec smallint not null check (codec in (0, 1)),                 -- 0 as is, 1 zstd
  length int not null check (length >= 0),                         -- before compression
  digest bytea not null check (length(digest) = 32),               -- before compression
  content bytea not null,
  primary key (project_id, otlp_id, part_id)
) partition by hash (project_id);
-- Compressed already: let Postgres not try again.
alter table otlp_part alter content set storage external;

select split_by_project('otlp_run', 'with (fillfactor = 70)');
-- Rows live for minutes.
select split_by_project('otlp_part', 'with (autovacuum_vacuum_scale_factor = 0.02)');
select guard_by_project('otlp_run');
select guard_by_project('otlp_part');

select take_no_samples(relname::text) from pg_class
where oid in ('otlp_run'::regclass, 'otlp_part'::regclass)
   or oid in (select inhrelid from pg_inherits where inhparent in ('otlp_run'::regclass, 'otlp_part'::regclass));

-- As in 0026_jobs.sql, except that up to four runs of a project are assembled at the same time: a large one takes seconds.
--
-- Claims at most `most` jobs: one of each lane in turn, beginning after the lane where the last claim of the same urgency ended.
-- A lane with as many running jobs as its limit is skipped. Two workers that claim at the same time see the same first job of a
-- lane and only one of them gets it, so a limit holds without a lock, unless an earlier job becomes visible between the two.
--
-- Also returns one row without a subject for each urgency: the lane where the claim ended, and how many jobs others took or held.
create or replace function claim_jobs(holder uuid, turn_number bigint, most int, last_urgency int, from_project int[],
                                      from_kind int[], learning_limit int, judging_limit int)
returns table (urgency smallint, project_id int, kind smallint, subject uuid, failures smallint, missed int)
language plpgsql
-- The statistics of a queue are always old. Only the index gives the order without a sort.
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
  assembly_limit constant int := 4;
  -- The running jobs of a lane come first, or nearly so. A page shows all of them and the next ones.
  page_size constant int := greatest(learning_limit, judging_limit, assembly_limit) + 16;
  longest_walk constant int := 50;
  lane record;
  at_project int;
  at_kind smallint;
  picked tid[];
  visited int;
  pages int;
  claimed int;
  lost int;
  progressed boolean;
begin
  for level in 0 .. last_urgency loop
    exit when most <= 0;
    -- A long job of the lowest urgency must not keep several learners of one process busy.
    if level = 2 then most := 1; end if;
    at_project := from_project[level + 1];
    at_kind := from_kind[level + 1];
    progressed := true;
    pages := 0;
    lost := 0;
    while most > 0 and pages < longest_walk loop
      pages := pages + 1;
      visited := 0;
      picked := '{}';
      for lane in
        select page.project_id, page.kind, count(page.worker) as running,
               (array_agg(page.place) filter (where page.worker is null))[1] as waiting,
               row_number() over (order by page.project_id, page.kind) as number,
               count(*) over () as lanes, sum(count(*)) over () as jobs
        from (select j.project_id, j.kind, j.worker, j.ctid as place from job j
              where j.ready_at is not null and j.kind / 10 = level and (j.project_id, j.kind) > (at_project, at_kind)
              order by j.kind / 10, j.project_id, j.kind, j.ready_at
              limit page_size) as page
        group by page.project_id, page.kind
        order by page.project_id, page.kind
      loop
        exit when cardinality(picked) >= most;
        -- The last lane of a full page may be cut off. The next page begins with it.
        exit when lane.jobs = page_size and lane.number = lane.lanes and lane.number > 1;
        visited := visited + 1;
        at_project := lane.project_id;
        at_kind := lane.kind;
        continue when lane.waiting is null;
        continue when lane.running >= case lane.kind when 0 then learning_limit when 5 then assembly_limit
                                                     when 10 then judging_limit else 1 end;
        picked := picked || lane.waiting;
      end loop;
      if visited = 0 then
        -- If others claim in the same lanes, let them commit before the next attempt.
        exit when not progressed or lost > 0;
        progressed := false;
        at_project := 0;
        at_kind := -1;
        continue;
      end if;
      continue when picked = '{}';
      return query
        -- The number of attempts must not overflow: the error would stop the claims of all projects.
        update job j set worker = holder, turn = turn_number, attempts = least(j.attempts, 32000) + 1
        from (select c.ctid as place from job c where c.ctid = any (picked) and c.worker is null for update skip locked) as free
        where j.ctid = free.place
        returning level::smallint, j.project_id, j.kind, j.subject, j.failures, 0;
      get diagnostics claimed = row_count;
      progressed := progressed or claimed > 0;
      lost := lost + cardinality(picked) - claimed;
      most := most - claimed;
    end loop;
    return query select level::smallint, at_project, at_kind, null::uuid, 0::smallint, lost;
  end loop;
end $$;
