-- What people do to memories and reviews, so that all of it can be seen and undone.

-- One call of somebody that changed something: an edit, a merge, a batch of reviews. What it changed refers to it.
create table action (
  project_id int not null,
  action_id uuid not null,
  actor text not null,
  -- The word of the audit log, such as `memory.disable`.
  kind text not null,
  -- What it did, in numbers and ids; never with the content of a memory or a run.
  summary jsonb not null default '{}',
  created_at timestamptz not null default now(),
  undone_at timestamptz,
  undone_by text,
  primary key (project_id, action_id)
) partition by hash (project_id);
select split_by_project('action');
select guard_by_project('action');

-- The batch that a review belongs to, when it was given together with others.
alter table review add action_id uuid;
create index review_action on review (project_id, action_id) where action_id is not null;

-- Why a memory may or may not be served, each reason for itself: undoing one must not touch the others.
-- `status` says what follows from them and cannot be written.
alter table memory_stat
  add retired boolean not null default false,      -- the review that it came of counts no more
  add quarantined boolean not null default false,  -- nobody has vouched for it yet
  add presence smallint not null default 0
    check (presence between 0 and 4),              -- 0 kept 1 disabled 2 deleted 3 merged 4 erased
  add merged_into uuid,
  add pinned boolean not null default false;
update memory_stat set retired = status = 2, quarantined = status = 0,
                       presence = case when status = 3 then 4 else 0 end;
alter table memory_stat drop status;
alter table memory_stat add status smallint not null generated always as (
  case when presence = 4 then 3 when retired then 2 when presence = 3 then 5 when presence = 2 then 6
       when presence = 1 then 4 when quarantined then 0 else 1 end) stored;

-- Vectors of memories that may not be served now. Apart from those that are searched: however many there
-- are, they take no place among the nearest, and going back is moving a row.
create table parked_vector (
  project_id int not null,
  space_id smallint not null,
  memory_id uuid not null,
  embedding halfvec not null,
  primary key (project_id, memory_id, space_id)
) partition by hash (project_id);
alter table parked_vector alter embedding set storage plain;
select split_by_project('parked_vector');
select guard_by_project('parked_vector');
