-- Care for memories: what somebody changed about them, so that each change can be undone by itself.

-- The ledger of care, one row per thing that an action changed about a memory. Each facet is for itself: what
-- holds is the `after` of its last change that was not undone, and the `before` of its first one when all were.
-- So actions can be undone in any order. The columns of `memory` and `memory_stat` are read off it.
create table memory_change (
  project_id int not null,
  memory_id uuid not null,
  seq bigint generated always as identity,
  action_id uuid not null,
  facet smallint not null
    check (facet between 0 and 5),           -- 0 presence 1 quarantined 2 pinned 3 text 4 halved 5 pooled
  before jsonb not null,
  after jsonb not null,
  -- Its place among the entries of the ledger of utility: after those that the memory had then. Halving and
  -- pooling are steps of that fold.
  entered bigint not null,
  credited int not null,
  undone boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (project_id, memory_id, seq)
) partition by hash (project_id);
create index memory_change_action on memory_change (project_id, action_id, memory_id);

-- Which of its texts a memory has now. 1 is the one it was learned with.
alter table memory add version int not null default 1 check (version > 0);

-- All texts that a memory has had. A memory that was never edited has no rows here.
create table memory_version (
  project_id int not null,
  memory_id uuid not null,
  version int not null check (version > 0),
  -- Null for the text it was learned with.
  action_id uuid,
  task text not null,
  reflection text not null,
  summary text not null,
  guidance text not null,
  key_mistake text not null,
  correct_action text not null,
  applicable_tools text[] not null,
  metadata jsonb not null,
  created_at timestamptz not null default now(),
  primary key (project_id, memory_id, version)
) partition by hash (project_id);

-- Where a text that a memory has no more stood in the spaces, so that going back to it asks no model.
create table version_vector (
  project_id int not null,
  memory_id uuid not null,
  version int not null,
  space_id smallint not null,
  embedding halfvec not null,
  primary key (project_id, memory_id, version, space_id)
) partition by hash (project_id);
alter table version_vector alter embedding set storage plain;

-- The memories that every question is answered with first. Read off `memory_stat`, and kept with the project
-- because that is looked at before every search anyway: a project without pins pays nothing for them.
alter table project add pinned uuid[] not null default '{}';
create index memory_stat_pinned on memory_stat (project_id, memory_id) where pinned;

select split_by_project('memory_change');
select split_by_project('memory_version');
select split_by_project('version_vector');
select guard_by_project('memory_change');
select guard_by_project('memory_version');
select guard_by_project('version_vector');
