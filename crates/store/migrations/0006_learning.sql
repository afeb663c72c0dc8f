-- From a review to a memory: what was paid for and is not a memory yet, what learning cost, and the
-- guides made of many memories.

-- A reflection that a model has written and that is not stored as a memory yet. Kept the moment it
-- arrives, so that a process that dies right after does not pay for it a second time.
create table draft (
  project_id int not null,
  review_id uuid not null,
  reflection jsonb not null,
  created_at timestamptz not null default now(),
  primary key (project_id, review_id)
) partition by hash (project_id);

-- What models were paid to read and write, by day, so that a budget can be kept.
create table spending (
  project_id int not null,
  day date not null,
  calls int not null default 0 check (calls >= 0),
  input_tokens bigint not null default 0 check (input_tokens >= 0),
  output_tokens bigint not null default 0 check (output_tokens >= 0),
  primary key (project_id, day)
) partition by hash (project_id);

-- One guide per project, made of its memories. Every version is kept; the highest one counts.
create table skill (
  project_id int not null,
  version int not null check (version > 0),
  content text not null,
  passed int not null,
  failed int not null,
  memory_ids uuid[] not null,
  model text,
  created_at timestamptz not null default now(),
  primary key (project_id, version)
) partition by hash (project_id);

-- Words, for the search that has to do when no vector can be had. Without an index: matching words is not
-- leak-proof, so under row-level security no index would be asked, and every insert would pay for it.
alter table memory add words tsvector
  generated always as (to_tsvector('english', task || ' ' || reflection)) stored;
-- How the lesson was read out of the model's answer, where that is worth knowing.
alter table memory add note text;

-- Attempts that failed for a reason of their own. `attempts` counts those that were cut short too.
alter table trace_state add failures smallint not null default 0;

select split_by_project('draft');
select split_by_project('spending', 'with (fillfactor = 70)');
select split_by_project('skill');
select guard_by_project('draft');
select guard_by_project('spending');
select guard_by_project('skill');
