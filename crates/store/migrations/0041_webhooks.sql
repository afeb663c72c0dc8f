-- Webhooks: endpoints of projects, events, and their deliveries (docs/adr/0064).
--
-- An event and its deliveries are written in the transaction of their cause. All tables contain ids and numbers; texts of runs and
-- of memories are read when an event is sent, and only for endpoints that ask for them.

create table webhook_endpoint (
  project_id int not null,
  endpoint_id uuid not null,
  url text not null check (length(url) between 8 and 2000),
  description text not null default '' check (length(description) <= 500),
  -- The subscribed types of events, one bit each: 1 review.needed 2 memory.created 4 memory.quarantined 8 health.changed
  -- 16 judge.stopped.
  types int not null check (types > 0),
  -- Whether payloads contain texts of runs and memories.
  include_texts boolean not null default false,
  enabled boolean not null default true,
  -- Why the server disabled it. Null if a person did.
  disabled_reason text,
  disabled_at timestamptz,
  -- The signing secret, encrypted if the installation encrypts.
  secret text not null,
  -- The secret before the last rotation. Requests are signed with both until `previous_until`.
  previous_secret text,
  previous_until timestamptz,
  -- How many attempts in a row have failed, over all deliveries, and since when.
  failures int not null default 0,
  failing_since timestamptz,
  -- When a person last enabled it or changed its address. What waited is tried for a day from then.
  resumed_at timestamptz,
  created_by text not null,
  created_at timestamptz not null default now(),
  primary key (project_id, endpoint_id)
) partition by hash (project_id);
select split_by_project('webhook_endpoint');
select guard_by_project('webhook_endpoint');

create table webhook_event (
  project_id int not null,
  event_id uuid not null,
  -- One of the bits above. 0: a test.
  type int not null,
  -- What the event is about. The events of one subject arrive in order.
  subject text not null,
  data jsonb not null,
  created_at timestamptz not null default now(),
  primary key (project_id, event_id)
) partition by hash (project_id);
select split_by_project('webhook_event');
select guard_by_project('webhook_event');

-- One event for one endpoint. Also the delivery log.
create table webhook_delivery (
  project_id int not null,
  delivery_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  -- The type of the event, for the log: events are removed before their deliveries.
  type int not null,
  subject text not null,
  -- The order of the deliveries of one endpoint.
  position bigint not null,
  state smallint not null default 0 check (state between 0 and 2),   -- 0 waiting 1 delivered 2 failed
  -- When it is due. Null: an earlier delivery of the same subject waits.
  next_at timestamptz,
  -- One object per attempt: when, status or error, how long.
  attempts jsonb not null default '[]',
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (project_id, delivery_id),
  check (state = 0 or (next_at is null and finished_at is not null))
) partition by hash (project_id);
create index webhook_delivery_due on webhook_delivery (project_id, endpoint_id, next_at) where state = 0 and next_at is not null;
create index webhook_delivery_subject on webhook_delivery (project_id, endpoint_id, subject, position) where state = 0;
create index webhook_delivery_log on webhook_delivery (project_id, endpoint_id, delivery_id);
select split_by_project('webhook_delivery', 'with (fillfactor = 80)');
select guard_by_project('webhook_delivery');

-- What was last announced about a project: 0 loop health 1 judge.
create table announced_state (
  project_id int not null,
  about smallint not null check (about in (0, 1)),
  state jsonb not null,
  changed_at timestamptz not null default now(),
  primary key (project_id, about)
) partition by hash (project_id);
select split_by_project('announced_state');
select guard_by_project('announced_state');

select take_no_samples(relname::text) from pg_class
where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
  and (starts_with(relname, 'webhook_') or starts_with(relname, 'announced_state'));

-- Which endpoints have something to send, for the processes that send. One row per endpoint, and one with a nil id per project
-- whose endpoints receive `review.needed`: runs are counted there, and one event announces all of them. Ids and times only. The
-- table is outside row-level security, like the job queue: a process has to find work before it knows the project.
create table webhook_queue (
  project_id int not null,
  endpoint_id uuid not null,
  -- When it is due; for a held row, when the hold ends. Null: nothing to send.
  due_at timestamptz,
  -- The process that sends.
  held_by uuid,
  -- Whether something was added while a process held it.
  again boolean not null default false,
  -- A failing endpoint is not tried before then.
  paused_until timestamptz,
  -- The position of its last delivery.
  last_position bigint not null default 0,
  -- How many runs began to wait for a review since the last announcement.
  waiting_runs int not null default 0,
  primary key (project_id, endpoint_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
create index webhook_queue_due on webhook_queue (due_at) where due_at is not null;
create index webhook_queue_held on webhook_queue (project_id) where held_by is not null;

-- The types that any enabled endpoint of the project receives. A transaction writes events only for these. Last, because it locks
-- a table in use until the migration is committed.
alter table project add webhook_types int not null default 0;
