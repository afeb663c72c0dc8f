-- How far what comes in with a key is believed: what untrusted keys say waits for somebody to vouch for it, counts for
-- less, and can be told apart from the rest.

-- How far the reviewer's key was trusted, when the review came in.
alter table review add trust smallint not null default 1 check (trust in (0, 1, 2));

-- What looks out of place in a memory's text: words of the engine. A signal, not a proof.
alter table memory add flags text[] not null default '{}';

-- Of memories of untrusted sources alone, so that ranking can hold them to their share without a look at the text.
-- Empty for all others: their rows stay as narrow as they were.
alter table memory_stat
  add author_key uuid,
  add source_trace uuid;

-- The untrusted key whose vote an entry of the ledger is. Empty for all others.
alter table utility_event add voter uuid;
create index utility_event_voter on utility_event (project_id, voter, memory_id, seq) where voter is not null;

-- Which memory vouched for which: both came of different runs of different keys, and say the same about the same task.
create table memory_corroboration (
  project_id int not null,
  memory_id uuid not null,
  vouched_by uuid not null,
  similarity real not null,
  created_at timestamptz not null default now(),
  primary key (project_id, memory_id, vouched_by)
) partition by hash (project_id);
select split_by_project('memory_corroboration');
select guard_by_project('memory_corroboration');
