-- The catalogue: what has to be known before a project is known, and the tools by which every
-- later migration builds tables that belong to projects.
--
-- `project_id` is a small number and the first column of every key from here on, because projects
-- are both the tenants and the unit that moves between installations. Outside, a project is known
-- by its slug only. Catalogue tables stand outside row-level security: a key has to be found before
-- anyone can say whose it is.

create extension if not exists vector;

create table project (
  project_id int generated always as identity primary key,
  slug text not null check (length(slug) between 1 and 200),
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
-- A deleted project frees its slug at once, while its rows are still being removed.
create unique index project_slug on project (slug) where deleted_at is null;

create table api_key (
  key_id uuid primary key,
  public_id text not null unique,
  -- SHA-256 of the whole key. Its secret part has 256 random bits, so a slow hash would protect
  -- nothing and only give strangers a way to burn our processors.
  digest bytea not null check (length(digest) = 32),
  -- Null means a master key: every project, and unknown ones are created on first use.
  project_id int references project,
  label text not null,
  scopes text[] not null,
  environment smallint not null check (environment in (0, 1)),
  trust smallint not null default 1 check (trust in (0, 1, 2)),
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_key_project on api_key (project_id);

-- One row at most, ever: the bootstrap token works once.
create table bootstrap (
  only_row boolean primary key default true check (only_row),
  key_id uuid not null,
  used_at timestamptz not null default now()
);

-- A vector can be compared inside its own space only. Changing the embedding model adds a space.
create table embedding_space (
  space_id smallint generated always as identity primary key,
  provider text not null,
  model text not null,
  revision text not null default '',
  dimensions int not null check (dimensions between 1 and 16000),
  -- What is embedded of a memory. Its task, unless the space was made for reflections.
  key_text text not null default 'task' check (key_text in ('task', 'reflection')),
  -- Similarities of two models cannot be compared, so their cut-off belongs to the space too.
  similarity_threshold real not null default 0.3,
  created_at timestamptz not null default now(),
  unique (provider, model, revision, dimensions, key_text)
);

alter table project
  add read_space smallint references embedding_space,
  -- Two entries while a project is being re-embedded.
  add write_spaces smallint[] not null default '{}';

-- How many hash partitions a table of projects gets. Asked for once, at the first migration
-- (`reflect migrate --hash-partitions`), and kept so that later migrations agree with it.
create table installation (
  only_row boolean primary key default true check (only_row),
  hash_partitions int not null check (hash_partitions between 1 and 128),
  created_at timestamptz not null default now()
);
insert into installation (hash_partitions)
values (coalesce(nullif(current_setting('reflect.hash_partitions', true), '')::int, 16));

-- Splits a table by project. `storage` goes to every child, because storage parameters are not
-- inherited from a partitioned table.
create function split_by_project(parent text, storage text default '') returns void
language plpgsql as $$
declare
  parts int := (select hash_partitions from installation);
begin
  for part in 0 .. parts - 1 loop
    execute format('create table %I partition of %I for values with (modulus %s, remainder %s) %s',
                   parent || '_h' || part, parent, parts, part, storage);
  end loop;
end $$;

-- Puts a table under row-level security, also for its owner. The policy fails closed: a setting
-- that was never made reads as null, and one that ended with its transaction reads as ''.
create function guard_by_project(parent text) returns void
language plpgsql as $$
begin
  execute format('alter table %I enable row level security', parent);
  execute format('alter table %I force row level security', parent);
  execute format($policy$
    create policy one_project on %I
      using (project_id = (select nullif(current_setting('reflect.project_id', true), '')::int))
      with check (project_id = (select nullif(current_setting('reflect.project_id', true), '')::int))
  $policy$, parent);
end $$;
