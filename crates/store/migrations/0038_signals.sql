-- Signals: outcomes of runs that other systems report, such as CI, tickets or the users of a chat. A signal names a run, or a key
-- that runs declare. The rules of the project turn the signals about a run into its review (docs/adr/0061).

-- The part of an index that stands for a key of runs, or for the id of a run. One place, because all sides must agree.
create function signal_subject(name text, value text) returns bytea
language sql immutable strict parallel safe as $$
  select substring(sha256(convert_to(name || chr(31) || value, 'UTF8')) for 16)
$$;

-- Whether a person, or a program of the client, gave a review. Other prefixes are those of keys and members.
create function is_by_person(reviewer text) returns boolean
language sql immutable parallel safe as $$
  select not starts_with(reviewer, 'judge:') and not starts_with(reviewer, 'signal:')
$$;

-- Which runs declare a key. Partitioned like the runs, and kept as long as they are.
create table trace_key (
  project_id int not null,
  -- `signal_subject` of the key. The text is in `trace.keys`.
  subject bytea not null check (length(subject) = 16),
  trace_id uuid not null,
  primary key (project_id, subject, trace_id)
) partition by range (trace_id);
create table trace_key_default partition of trace_key default;
insert into partition_plan (parent, width, behind, ahead, keep, storage, follows)
select 'trace_key', width, behind, ahead, keep, '', 'trace' from partition_plan where parent = 'trace';
select attach_window('trace_key', replace(child, 'trace_', 'trace_key_'), from_at, to_at)
from time_partition where parent = 'trace' order by from_at;
select guard_by_project('trace_key');

-- A signal as it was received.
create table signal (
  project_id int not null,
  signal_id uuid not null,
  source text not null check (length(source) between 1 and 40),
  -- What it is about: a run, or a key of runs.
  trace_id uuid,
  key_name text,
  key_value text,
  -- What it reports: a result or a score.
  passed boolean,
  score double precision check (score between 0 and 1),
  occurred_at timestamptz not null,
  comment text,
  url text,
  metadata jsonb,
  -- The key that sent it, or that issued the feedback token.
  key_id uuid not null,
  trust smallint not null check (trust in (0, 1, 2)),
  -- Whether it is the vote of a feedback token. Its comment is shown to reviewers, and nothing is learned from it.
  by_token boolean not null default false,
  -- Whether the issuer of the token may not review: the vote is only about runs of the issuer, and moves only memories that it received.
  bounded boolean not null default false,
  -- How often the vote of a feedback token was replaced.
  changes smallint not null default 0,
  -- The digest of its idempotency key or of its feedback token, and of what was sent with the idempotency key.
  once bytea check (length(once) = 32),
  content_digest bytea check (length(content_digest) = 32),
  -- Which runs its key means: 0 the named run 1 latest 2 all 3 only.
  matching smallint not null check (matching between 0 and 3),
  -- `signal_subject` of what it is about.
  subject bytea not null check (length(subject) = 16),
  -- Whether a run that arrives may change which runs it is about: for 30 days, or until the named run is there.
  open boolean not null default true,
  -- Whether it is about a stored run.
  has_run boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (project_id, signal_id),
  check ((trace_id is null) = (key_name is not null)),
  check ((key_name is null) = (key_value is null)),
  check ((passed is null) <> (score is null))
) partition by hash (project_id);
-- A repeated call finds the first signal.
create unique index signal_once on signal (project_id, once) where once is not null;
create index signal_subject on signal (project_id, subject, signal_id) where open;
create index signal_open on signal (project_id, signal_id) where open;
select split_by_project('signal');
select guard_by_project('signal');

-- Which signals are about which run.
create table signal_match (
  project_id int not null,
  trace_id uuid not null,
  signal_id uuid not null,
  source text not null,
  -- Whether the key that sent it is trusted. Others measure no source.
  trusted boolean not null,
  -- Withheld from reviewers until a person has reviewed the run, and never part of a review.
  blind boolean not null,
  -- The review that a person had given before.
  reviewed_before uuid,
  primary key (project_id, trace_id, signal_id)
) partition by hash (project_id);
create index signal_match_signal on signal_match (project_id, signal_id);
-- To compare a source with people: signals that the reviewer had not seen.
create index signal_match_unseen on signal_match (project_id, source, trace_id)
  where trusted and (blind or reviewed_before is not null);
select split_by_project('signal_match');
select guard_by_project('signal_match');

-- Runs whose signals have to be looked at, now or at a later time. Each has a job.
create table signal_wait (
  project_id int not null,
  trace_id uuid not null,
  until timestamptz not null,
  -- Changes with every new signal: a worker that read the signals before it must not end the wait.
  change uuid not null default gen_random_uuid(),
  primary key (project_id, trace_id)
) partition by hash (project_id);
select split_by_project('signal_wait', 'with (fillfactor = 70)');
select guard_by_project('signal_wait');

select take_no_samples(relname::text) from pg_class
where oid = any ('{trace_key, signal, signal_match}'::regclass[])
   or oid in (select inhrelid from pg_inherits where inhparent = any ('{trace_key, signal, signal_match}'::regclass[]));

-- The secret with which feedback tokens are sealed. In a table of its own: the server reads it, and no project has it.
create table feedback_secret (
  only_row boolean primary key default true check (only_row),
  secret bytea not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
    check (length(secret) = 32)
);
insert into feedback_secret default values;

-- Tables in use, at the end: their locks are short. Every request reads `project`, so it is the last one.

-- The keys that the client declared, as an object of texts. Null if there are none.
alter table trace add keys jsonb;
select take_no_samples(relname::text) from pg_class
where oid = 'trace'::regclass or oid in (select inhrelid from pg_inherits where inhparent = 'trace'::regclass);

-- Whether the project has ever received a signal. Without one, storing a run costs nothing more than before.
alter table project add has_signals boolean not null default false;
