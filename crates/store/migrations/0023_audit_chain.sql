-- The audit log gets addresses, details and a hash chain: a change by the owner of the database is found afterwards.
--
-- A request only inserts its entry. A trigger notes the entry in `audit_unchained`, and a background writer appends it to
-- the chain of its project, so requests do not wait for each other. The four tables below contain ids, hashes and
-- signatures only. They are outside of row-level security, because the writer and the verification work across projects;
-- `chain` is the number of a project, or 0 for the installation.

alter table audit_entry add address text, add detail jsonb;
select take_no_samples(relname::text) from pg_class
where oid = 'audit_entry'::regclass
   or oid in (select inhrelid from pg_inherits where inhparent = 'audit_entry'::regclass);

-- Entries that are not part of their chain yet.
create table audit_unchained (
  chain int not null,
  audit_id uuid not null,
  primary key (chain, audit_id)
);

-- The end of each chain. Its row lock makes one writer at a time. It only saves look-ups: the verification ignores it.
create table audit_chain (
  chain int primary key,
  sequence bigint not null default 0,
  hash bytea not null default decode(repeat('00', 32), 'hex') check (length(hash) = 32),
  -- Up to here there is a signature.
  signed bigint not null default 0
);
create index audit_chain_unsigned on audit_chain (chain) where signed < sequence;

-- One link per entry. `hash` covers the entry's hash and the previous link.
create table audit_link (
  chain int not null,
  sequence bigint not null check (sequence > 0),
  audit_id uuid not null,
  entry_hash bytea not null check (length(entry_hash) = 32),
  hash bytea not null check (length(hash) = 32),
  primary key (chain, sequence),
  unique (chain, audit_id)
);

-- Signed ends of chains. The key is not in the database. When entries expire, the newest signature from before that time
-- stays as the start of the remaining chain.
create table audit_head (
  chain int not null,
  sequence bigint not null check (sequence > 0),
  hash bytea not null check (length(hash) = 32),
  signed_at timestamptz not null,
  key_id text not null,
  signature bytea not null check (length(signature) = 64),
  primary key (chain, sequence)
);

create function note_audit_entry() returns trigger
language plpgsql as $$
begin
  insert into audit_unchained (chain, audit_id) values (new.project_id, new.audit_id) on conflict do nothing;
  return null;
end $$;
create trigger note_audit_entry after insert on audit_entry for each row execute function note_audit_entry();

-- Existing entries. Row-level security is forced on the owner too, so it is suspended for this statement.
alter table audit_entry no force row level security;
insert into audit_unchained (chain, audit_id) select project_id, audit_id from audit_entry;
alter table audit_entry force row level security;

-- The two parts of maintenance that need the owner of the tables, for a server whose user is not the owner. Neither takes an
-- argument: a caller cannot make them remove more than has expired by now.
create function keep_partitions_now() returns table (action text, partition text, row_count bigint)
language sql security definer as $$
  select * from keep_partitions(now())
$$;

-- Removes links and signatures before the newest signature that is older than the retention of entries.
create function prune_audit_chains() returns bigint
language sql security definer as $$
  with expiry as (
    select now() - keep as cutoff from partition_plan where parent = 'audit_entry'
  ), checkpoint as (
    select h.chain, max(h.sequence) as sequence from audit_head h, expiry e where h.signed_at < e.cutoff group by h.chain
  ), links as (
    delete from audit_link l using checkpoint c, expiry e
    where l.chain = c.chain and l.sequence <= c.sequence and l.audit_id < uuid_at(e.cutoff)
    returning 1
  ), heads as (
    delete from audit_head h using checkpoint c where h.chain = c.chain and h.sequence < c.sequence
  )
  select count(*) from links
$$;

-- A function with the owner's rights must not find tables of others.
do $$
begin
  execute format('alter function keep_partitions_now() set search_path = %I, pg_temp', current_schema());
  execute format('alter function prune_audit_chains() set search_path = %I, pg_temp', current_schema());
end $$;
