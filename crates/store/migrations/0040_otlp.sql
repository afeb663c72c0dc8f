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
