-- What was learned. Four tables for one memory, because its parts change at different rates:
-- the text hardly ever, the vector never, the utility with every review, the ledger only grows.
--
-- Keeping the utility out of the vector's row is what makes learning cheap: an update there would
-- write a new vector, and an index over vectors would keep the old one until the next vacuum.

create table memory (
  project_id int not null,
  memory_id uuid not null,
  source_review uuid,
  source_trace uuid,
  author_key uuid,
  origin smallint not null check (origin between 0 and 4),  -- 0 review 1 authored 2 offline 3 import 4 manual
  task text not null,
  reflection text not null,
  summary text not null default '',
  guidance text not null default '',
  key_mistake text not null default '',
  correct_action text not null default '',
  applicable_tools text[] not null default '{}',
  tools_used text[] not null default '{}',
  success boolean,
  metadata jsonb not null default '{}',
  model text,
  prompt_version int,
  created_at timestamptz not null default now(),
  primary key (project_id, memory_id)
) partition by hash (project_id);
-- One memory per review, ever: a worker that wakes up late writes nothing.
create unique index memory_of_review on memory (project_id, source_review);

create table memory_stat (
  project_id int not null,
  memory_id uuid not null,
  -- The documented utility: starts undecided, moved by every review of a run that was shown it.
  q real not null default 0.5 check (q between 0 and 1),
  -- What ranking uses: moved only where the memory was used, against what was expected anyway.
  credit real not null default 0.5 check (credit between 0 and 1),
  evidence int not null default 0 check (evidence >= 0),
  reviews int not null default 0 check (reviews >= 0),
  passes int not null default 0 check (passes between 0 and reviews),
  status smallint not null default 1 check (status between 0 and 3),  -- 0 quarantined 1 active 2 retired 3 erased
  trust smallint not null default 1 check (trust in (0, 1, 2)),
  -- A date, written when it changes, so that reading does not turn into writing.
  last_used date,
  primary key (project_id, memory_id)
) partition by hash (project_id);

-- The ledger of utility. `q` and `credit` are folds over it and can be recomputed at any time.
-- The primary key is the promise that a review counts once for a memory.
create table utility_event (
  seq bigint generated always as identity,
  project_id int not null,
  review_id uuid not null,
  memory_id uuid not null,
  reward real not null check (reward between 0 and 1),
  alpha real not null check (alpha between 0 and 1),
  -- Filled in once, when the run has been reflected on.
  used boolean,
  expected real check (expected between 0 and 1),
  withdrawn boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (project_id, review_id, memory_id)
) partition by hash (project_id);
create index utility_event_fold on utility_event (project_id, memory_id, seq);

-- Vectors are inserted and deleted, never updated. They have no fixed dimension, so that two
-- embedding spaces can stand side by side; the index carries the vector itself, so that an exact
-- search reads one project's entries in a row and never visits the table.
create table memory_vector (
  project_id int not null,
  space_id smallint not null,
  memory_id uuid not null,
  embedding halfvec not null
) partition by hash (project_id);
alter table memory_vector alter embedding set storage plain;
create unique index memory_vector_search on memory_vector (project_id, space_id, memory_id) include (embedding);

select split_by_project('memory');
select split_by_project('memory_stat', 'with (fillfactor = 70)');
select split_by_project('utility_event');
-- Fresh rows cost a visit to the table until a vacuum has passed.
select split_by_project('memory_vector', 'with (autovacuum_vacuum_insert_scale_factor = 0.02)');

select guard_by_project('memory');
select guard_by_project('memory_stat');
select guard_by_project('utility_event');
select guard_by_project('memory_vector');
