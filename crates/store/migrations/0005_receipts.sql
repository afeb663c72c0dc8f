-- Receipts: what was answered before, what was served to whom, and who changed what.

-- The answer to a call that named an idempotency key, written in the transaction of its effect.
-- Not split by time, although it expires: the primary key across all of it is the guarantee.
create table idempotency (
  project_id int not null,
  key text not null check (length(key) between 1 and 255),
  request_digest bytea not null check (length(request_digest) = 32),
  -- Null where the answer holds a secret, which is stored nowhere.
  answer jsonb,
  created_at timestamptz not null default now(),
  primary key (project_id, key)
) partition by hash (project_id);
create index idempotency_age on idempotency (project_id, created_at);

-- Every retrieval, with all that was considered, so that credit can be proved and a bad answer
-- explained. Written without waiting for the disk: a crash of the database may lose the last second.
create table retrieval (
  project_id int not null,
  retrieval_id uuid not null,
  key_id uuid not null,
  space_id smallint,
  task text,
  task_digest bytea not null,
  parameters jsonb not null,
  -- All candidates in rank order; `served` says how many of them went out.
  memory_ids uuid[] not null,
  similarities real[] not null,
  utilities real[] not null,
  served int not null,
  degraded boolean not null default false,
  embed_us int not null,
  search_us int not null,
  created_at timestamptz not null default now(),
  primary key (project_id, retrieval_id)
) partition by range (retrieval_id);

-- Who did what to which thing, never with its content. The server may add entries and read them;
-- it was not given the right to change or remove them.
create table audit_entry (
  project_id int not null,               -- 0: the installation itself
  audit_id uuid not null,
  actor text not null,
  action text not null,
  target text not null,
  request_id text,
  created_at timestamptz not null default now(),
  primary key (project_id, audit_id)
) partition by range (audit_id);

select split_by_project('idempotency');
select split_by_time('retrieval', behind => '0', keep => '30 days');
select split_by_time('audit_entry', behind => '0', keep => '400 days');

select guard_by_project('idempotency');
select guard_by_project('retrieval');
select guard_by_project('audit_entry');
