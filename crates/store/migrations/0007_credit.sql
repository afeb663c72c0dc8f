-- Which memories a run had, how that is known, what they are worth because of it, and which runs had none
-- on purpose.

-- How a run is linked to memories. Found once, when the run is stored: receipts are dropped earlier than runs.
alter table trace add link smallint not null default 0
  check (link between 0 and 4);                        -- 0 none 1 receipt 2 ids 3 trajectory 4 inferred
alter table trace add linked uuid[] not null default '{}';
-- The receipt that the link goes through, whether the client named it or it was found.
alter table trace add linked_retrieval uuid;
-- Which memories the run made use of, when the client says so.
alter table trace add used uuid[];
-- For measuring what memories do: 0 without on purpose, 1 with. Null where nothing was decided by lot.
alter table trace add arm smallint check (arm in (0, 1));

-- What became of each candidate: 0 served 1 dissimilar 2 outranked 3 alike 4 held out 5 no room. Those that
-- were not similar enough stand at the end.
alter table retrieval add fates smallint[] not null default '{}';
-- Memories were found and held back, so that runs with and without can be compared.
alter table retrieval add held_out boolean not null default false;
-- A run that names no receipt is recognised by its task.
create index retrieval_of_task on retrieval (project_id, task_digest, retrieval_id);

-- Whether the reviewer left the step to us. A step that was given is taken as it is.
alter table utility_event add annealed boolean not null default true;
-- The place in the order in which this memory's credit moved. Null until the run has been reflected on.
alter table utility_event add credited int;
-- How many entries of the ledger have moved the credit, those that were withdrawn since included.
alter table memory_stat add credited int not null default 0 check (credited >= 0);

-- What clients say about themselves, so that runs that never arrive are noticed.
create table client_report (
  project_id int not null,
  client text not null check (length(client) between 1 and 200),
  dropped bigint not null default 0 check (dropped >= 0),
  spooled bigint not null default 0 check (spooled >= 0),
  sdk text,
  reported_at timestamptz not null default now(),
  primary key (project_id, client)
) partition by hash (project_id);
select split_by_project('client_report', 'with (fillfactor = 70)');
select guard_by_project('client_report');
