-- What happened, and what was thought of it.
--
-- A trace is written once and never changed, so its row carries no state; the few bytes that do
-- change live in `trace_state`, where an update stays on its page. The trajectory is a third row:
-- it is large, compressed by the server, and dropped earlier than the rest.
--
-- There are no foreign keys between these tables. Every row is written by one transaction together
-- with its siblings, and a foreign key into a table split by time would forbid dropping old parts.

create table trace (
  project_id int not null,
  trace_id uuid not null,
  task text not null,
  final_response text,
  model text,
  metadata jsonb not null default '{}',
  -- As sent: old clients send texts that are no ids of ours, and they must come back unchanged.
  retrieved text[] not null default '{}',
  retrieval_id uuid,
  reference_context text,
  messages int not null,
  -- Digest of all that was sent, by which a repeated call under one id is told from a clash.
  content_digest bytea not null check (length(content_digest) = 32),
  body_codec smallint not null check (body_codec in (0, 1)),       -- 0 as is, 1 zstd
  body_length int not null check (body_length >= 0),               -- before compression
  body_digest bytea not null check (length(body_digest) = 32),           -- before compression
  key_id uuid not null,
  trust smallint not null check (trust in (0, 1, 2)),
  created_at timestamptz not null default now(),
  primary key (project_id, trace_id)
) partition by range (trace_id);

create table trace_body (
  project_id int not null,
  trace_id uuid not null,
  body bytea not null,
  primary key (project_id, trace_id)
) partition by range (trace_id);
-- Compressed already: let Postgres not try again.
alter table trace_body alter body set storage external;

create table trace_state (
  project_id int not null,
  trace_id uuid not null,
  ingest smallint not null check (ingest between 0 and 3),  -- 0 queued 1 processing 2 completed 3 failed
  reviewed boolean not null default false,                  -- true once the memory exists
  review_id uuid,                                           -- the live review, from the moment it is given
  memory_id uuid,
  attempts smallint not null default 0,
  last_error text,
  updated_at timestamptz not null default now(),
  primary key (project_id, trace_id),
  -- "Reviewed" must never be visible without its memory.
  constraint reviewed_has_memory check (not reviewed or memory_id is not null)
) partition by hash (project_id);
create index trace_state_review on trace_state (project_id, reviewed, trace_id);

create table review (
  project_id int not null,
  review_id uuid not null,
  trace_id uuid not null,
  passed boolean not null,
  feedback text,
  alpha real not null check (alpha between 0 and 1),
  mode smallint not null check (mode in (0, 1)),            -- 0 inline 1 deferred
  reviewer text not null,
  -- A lesson that came with the review, so that no model has to write it.
  authored jsonb,
  superseded_by uuid,
  withdrawn_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (project_id, review_id)
) partition by hash (project_id);
-- One live review per trace: a second verdict has to replace the first.
create unique index review_live on review (project_id, trace_id)
  where superseded_by is null and withdrawn_at is null;

select split_by_time('trace', behind => '31 days', keep => '180 days');
select split_by_time('trace_body', behind => '31 days', keep => '180 days');
select split_by_project('trace_state', 'with (fillfactor = 70)');
select split_by_project('review');

select guard_by_project('trace');
select guard_by_project('trace_body');
select guard_by_project('trace_state');
select guard_by_project('review');
