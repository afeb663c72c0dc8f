-- Changing the embedding model of a project that goes on being asked and written to.

-- How far each change has come. Questions go to one space at any moment, `project.read_space`; while a change is
-- live, new memories are placed in both.
create table space_change (
  project_id int not null,
  change_id uuid not null,
  from_space smallint not null references embedding_space,
  to_space smallint not null references embedding_space,
  -- 0 filling 1 ready 2 switched 3 rolled back 4 abandoned 5 finished
  state smallint not null default 0 check (state between 0 and 5),
  -- The walk over memories in the order of their ids has come this far.
  cursor uuid not null default '00000000-0000-0000-0000-000000000000',
  done bigint not null default 0 check (done >= 0),
  total bigint not null default 0 check (total >= 0),
  last_error text,
  started_at timestamptz not null default now(),
  switched_at timestamptz,
  updated_at timestamptz not null default now(),
  -- When the last vector of the space that was left is gone.
  cleared_at timestamptz,
  check (from_space <> to_space),
  primary key (project_id, change_id)
) partition by hash (project_id);
create unique index space_change_live on space_change (project_id) where state < 4;
select split_by_project('space_change', 'with (fillfactor = 70)');
select guard_by_project('space_change');

-- The project's own cut-off in a space, by the space's number. Beside `read_space`, so that both are read at once.
alter table project add space_thresholds jsonb not null default '{}';
