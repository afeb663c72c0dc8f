-- For large installations: the order of the ledger belongs to each memory, folds have checkpoints, states of runs are
-- partitioned by time, vectors have a primary key, deleted runs leave a tombstone, retention continues where it stopped, and
-- partitions are created and removed in short transactions.
--
-- No statement here reads or rewrites a large table. `reflect migrate` does that afterwards, in batches and while servers
-- work (crates/store/src/layout.rs). Tables of at most 1 MB are converted here. Locks of existing tables are taken at the
-- end, so they are short.

-- Intermediate results of the fold of a memory, so that a changed entry does not repeat all of it. A checkpoint contains every
-- entry up to its position and every curation step before that entry. Only memories with many entries have any. Derived from
-- the ledger: a missing checkpoint costs time, a wrong one breaks the utility.
create table fold_checkpoint (
  project_id int not null,
  memory_id uuid not null,
  fold smallint not null check (fold in (0, 1)),            -- 0 utility 1 credit
  -- `seq` of the ledger for the utility, `credited` for the credit.
  position bigint not null check (position > 0),
  value real not null check (value between 0 and 1),
  -- Reviews of the utility, evidence of the credit.
  reviews int not null check (reviews >= 0),
  passes int not null check (passes between 0 and reviews),
  primary key (project_id, memory_id, fold, position)
) partition by hash (project_id);
select split_by_project('fold_checkpoint');
select guard_by_project('fold_checkpoint');

-- How far retention has come in a project. Rows up to `reached` were handled, except those from `restart` on that had to wait.
-- A project without retention of its own has no row.
create table retention_cursor (
  project_id int not null,
  kind smallint not null check (kind between 0 and 3),      -- 0 traces 1 bodies 2 receipts 3 feedback
  reached uuid not null,
  restart uuid,
  primary key (project_id, kind)
) partition by hash (project_id);
select split_by_project('retention_cursor', 'with (fillfactor = 70)');
select guard_by_project('retention_cursor');

-- Storage parameters of new partitions, because they are not inherited.
alter table partition_plan add storage text not null default '';
-- Rows are kept as long as those of another table.
-- lock-safe: one row per table that is partitioned by time
alter table partition_plan add follows text references partition_plan;

create or replace function attach_window(parent text, child text, window_from timestamptz, window_to timestamptz)
returns bigint
language plpgsql as $$
declare
  key_column text := (select a.attname from pg_partitioned_table p
                      join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
                      where p.partrelid = parent::regclass);
  stored_columns text := (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
                          where a.attrelid = parent::regclass and a.attnum > 0 and not a.attisdropped
                            and a.attgenerated = '');
  storage text := (select p.storage from partition_plan p where p.parent = attach_window.parent);
  moved bigint;
begin
  execute format('create table %I (like %I including defaults including constraints including storage including generated) %s',
                 child, parent, storage);
  perform take_no_samples(child);
  execute format('with strays as (delete from %I where %I >= %L and %I < %L returning *)
                  insert into %I (%s) select %s from strays',
                 parent || '_default', key_column, uuid_at(window_from), key_column, uuid_at(window_to), child,
                 stored_columns, stored_columns);
  get diagnostics moved = row_count;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                 parent, child, uuid_at(window_from), uuid_at(window_to));
  insert into time_partition (child, parent, from_at, to_at) values (child, parent, window_from, window_to);
  return moved;
end $$;

-- The partitions to create and to drop at a time.
create function partition_work(at timestamptz)
returns table (action text, parent text, child text, from_at timestamptz, to_at timestamptz)
language plpgsql stable as $$
declare
  plan record;
  last_needed timestamptz;
begin
  for plan in
    select p.parent, p.width, p.behind, p.ahead, case when f.parent is null then p.keep else f.keep end as keep
    from partition_plan p left join partition_plan f on f.parent = p.follows
    order by p.parent
  loop
    parent := plan.parent;
    action := 'make';
    from_at := date_bin(plan.width, at - least(plan.behind, plan.keep), timestamptz '2024-01-01 00:00:00+00');
    last_needed := at + plan.ahead;
    while from_at <= last_needed loop
      -- A partition of another width may already contain the start of this window.
      select t.to_at into to_at from time_partition t
        where t.parent = plan.parent and t.from_at <= partition_work.from_at and t.to_at > partition_work.from_at;
      if not found then
        select min(bound) into to_at from (
          select partition_work.from_at + plan.width as bound union all
          select t.from_at from time_partition t where t.parent = plan.parent and t.from_at > partition_work.from_at
        ) bounds;
        child := plan.parent || '_t' || to_char(from_at at time zone 'utc', 'YYYYMMDD');
        return next;
      end if;
      from_at := to_at;
    end loop;
    return query
      select 'drop', t.parent, t.child, t.from_at, t.to_at from time_partition t
      where t.parent = plan.parent and t.to_at < at - plan.keep
      order by t.from_at;
  end loop;
end $$;

-- Creates or drops one partition, the first that no other session uses. Every call is one transaction, so no lock outlasts one
-- partition. Requests wait at most 100 ms behind a lock that this waits for. A blocked partition is reported; the caller passes
-- it to the next call, which leaves its table alone. Without another action than `blocked`, nothing is left to do.
create function partition_step(at timestamptz, blocked text[])
returns table (action text, partition text, row_count bigint)
language plpgsql as $$
declare
  before text := current_setting('lock_timeout');
  blocked_tables text[];
  work record;
  strays bigint;
begin
  perform set_config('lock_timeout', '10s', true);
  -- One process at a time, so that two do not create the same partition.
  perform pg_advisory_xact_lock(hashtextextended('reflect keep_partitions', 0));
  perform set_config('lock_timeout', '100ms', true);
  blocked_tables := array(select w.parent from partition_work(at) w where w.child = any(blocked));
  for work in select * from partition_work(at) loop
    continue when work.parent = any(blocked_tables);
    partition := work.child;
    begin
      if work.action = 'make' then
        strays := attach_window(work.parent, work.child, work.from_at, work.to_at);
        action := 'made'; row_count := 0;
        return next;
        if strays > 0 then
          action := 'stray'; row_count := strays;
          return next;
        end if;
      else
        execute format('drop table %I', work.child);
        delete from time_partition t where t.child = work.child;
        action := 'dropped'; row_count := 0;
        return next;
      end if;
      exit;
    exception when lock_not_available then
      blocked_tables := blocked_tables || work.parent;
      action := 'blocked'; row_count := 0;
      return next;
    end;
  end loop;
  perform set_config('lock_timeout', before, true);
end $$;

-- Rows in default partitions, which should be empty.
create function default_partition_rows() returns table (action text, partition text, row_count bigint)
language plpgsql security definer as $$
declare
  plan partition_plan;
begin
  for plan in select * from partition_plan p order by p.parent loop
    action := 'left'; partition := plan.parent || '_default';
    execute format('select count(*) from (select from %I limit 100000) counted', partition) into row_count;
    return next;
  end loop;
end $$;

-- With the rights of the owner, and without a time, so a caller cannot remove more than has expired by now.
create function partition_step_now(blocked text[]) returns table (action text, partition text, row_count bigint)
language sql security definer as $$
  select * from partition_step(now(), blocked)
$$;

-- Removes links and signatures of a few chains after a number: those before the newest signature that is older than the retention
-- of entries. Returns the last of these chains, null at the end, and whether all their expired links were removed.
drop function prune_audit_chains();
create function prune_audit_chains(after_chain int) returns table (last_chain int, is_complete bool)
language sql security definer as $$
  with expiry as (
    select now() - keep as cutoff from partition_plan where parent = 'audit_entry'
  ), page as (
    select c.chain, (
      select max(h.sequence) from audit_head h, expiry e where h.chain = c.chain and h.signed_at < e.cutoff
    ) as sequence
    from audit_chain c where c.chain > after_chain order by c.chain limit 500
  ), expired as (
    select l.chain, l.sequence from page p, expiry e, audit_link l
    where l.chain = p.chain and l.sequence <= p.sequence and l.audit_id < uuid_at(e.cutoff)
    limit 5000
  ), done as (
    select count(*) < 5000 as is_complete from expired
  ), links as (
    delete from audit_link l using expired x where l.chain = x.chain and l.sequence = x.sequence
  ), heads as (
    delete from audit_head h using page p, done d where h.chain = p.chain and h.sequence < p.sequence and d.is_complete
  )
  select (select max(chain) from page), is_complete from done
$$;

do $$
begin
  execute format('alter function prune_audit_chains(int) set search_path = %I, pg_temp', current_schema());
  execute format('alter function partition_step_now(text[]) set search_path = %I, pg_temp', current_schema());
  execute format('alter function default_partition_rows() set search_path = %I, pg_temp', current_schema());
end $$;

-- The size of the rows of a partitioned table.
create function rows_size(parent text) returns bigint
language sql stable as $$
  select coalesce(sum(pg_relation_size(i.inhrelid)), 0)::bigint from pg_inherits i where i.inhparent = parent::regclass
$$;

-- States of runs, partitioned by time like the runs. Until all rows are copied, a trigger repeats every change of the table
-- that is in use; then the two change names. No row-level security before that: the role of the server has no right on it.
create table trace_state_by_time (like trace_state including defaults including constraints including indexes)
  partition by range (trace_id);
create table trace_state_by_time_default partition of trace_state_by_time default with (fillfactor = 70);
select take_no_samples(relation) from unnest(array['trace_state_by_time', 'trace_state_by_time_default']) as relation;
insert into partition_plan (parent, width, behind, ahead, keep, storage, follows)
select 'trace_state_by_time', width, behind, ahead, keep, 'with (fillfactor = 70)', parent
from partition_plan where parent = 'trace';
select attach_window('trace_state_by_time', replace(child, 'trace_', 'trace_state_'), from_at, to_at)
from time_partition where parent = 'trace' order by from_at;

create function mirror_trace_state() returns trigger
language plpgsql security definer as $$
begin
  if tg_op <> 'INSERT' then
    delete from trace_state_by_time where project_id = old.project_id and trace_id = old.trace_id;
  end if;
  if tg_op <> 'DELETE' then
    insert into trace_state_by_time select new.*;
  end if;
  return null;
end $$;
do $$
begin
  execute format('alter function mirror_trace_state() set search_path = %I, pg_temp', current_schema());
end $$;

-- Copies a batch of states of one partition after a key and returns the last one. Locks the rows, so the trigger of a
-- concurrent change finds the copy.
create function copy_trace_states(part text, after_project int, after_trace uuid, most int)
returns table (project_id int, trace_id uuid)
language plpgsql as $$
begin
  return query execute format(
    'with batch as materialized (
       select * from %I where (project_id, trace_id) > ($1, $2) order by project_id, trace_id limit $3 for update
     ), copied as (
       insert into trace_state_by_time select * from batch on conflict do nothing
     )
     select project_id, trace_id from batch order by project_id desc, trace_id desc limit 1', part)
    using after_project, after_trace, most;
end $$;

-- Puts the copied states into use. The old table stays until it is dropped.
create function finish_state_split() returns text
language plpgsql as $$
declare
  part record;
begin
  lock table trace_state, trace_state_by_time in access exclusive mode;
  drop trigger if exists mirror_trace_state on trace_state;
  alter table trace_state rename to trace_state_by_project;
  alter index trace_state_pkey rename to trace_state_by_project_pkey;
  alter index trace_state_review rename to trace_state_by_project_review;
  alter index trace_state_by_time_project_id_reviewed_trace_id_idx rename to trace_state_review;
  for part in select relname as name, case when relkind in ('i', 'I') then 'index' else 'table' end as kind from pg_class
              where relnamespace = current_schema()::regnamespace and starts_with(relname, 'trace_state_by_time') loop
    execute format('alter %s %I rename to %I', part.kind, part.name, replace(part.name, '_by_time', ''));
  end loop;
  insert into partition_plan (parent, width, behind, ahead, keep, storage, follows)
  select 'trace_state', width, behind, ahead, keep, storage, follows from partition_plan
  where parent = 'trace_state_by_time';
  update time_partition set parent = 'trace_state', child = replace(child, 'by_time_', '')
  where parent = 'trace_state_by_time';
  delete from partition_plan where parent = 'trace_state_by_time';
  perform guard_by_project('trace_state');
  if exists (select from pg_roles where rolname = 'reflect_app') then
    grant select, insert, update, delete on trace_state to reflect_app;
  end if;
  return 'trace_state';
end $$;

-- A primary key for vectors, by the covering index that they have. Logical replication needs one. Partitions are detached for
-- it, because a key cannot be added to a partitioned table by an index. `next_vector_check` makes the scan of a new
-- attachment unnecessary: it does one step for one partition and returns its name, null at the end.
create function next_vector_check() returns text
language plpgsql as $$
declare
  part record;
begin
  if exists (select from pg_constraint where conrelid = 'memory_vector'::regclass and contype = 'p') then
    return null;
  end if;
  select i.inhrelid::regclass::text as name, c.oid is not null as added into part
  from pg_inherits i left join pg_constraint c on c.conrelid = i.inhrelid and c.conname = 'own_rows'
  where i.inhparent = 'memory_vector'::regclass and (c.oid is null or not c.convalidated)
  order by i.inhrelid limit 1;
  if not found then
    return null;
  elsif part.added then
    execute format('alter table %s validate constraint own_rows', part.name);
  else
    execute format('alter table %s add constraint own_rows check (%s) not valid', part.name,
                   pg_get_partition_constraintdef(part.name::regclass));
  end if;
  return part.name;
end $$;

create function set_vector_key() returns text
language plpgsql as $$
declare
  parts text[];
  bounds text[];
  covering text;
begin
  if exists (select from pg_constraint where conrelid = 'memory_vector'::regclass and contype = 'p') then
    return null;
  end if;
  lock table memory_vector in access exclusive mode;
  select array_agg(c.relname::text order by c.oid), array_agg(pg_get_expr(c.relpartbound, c.oid) order by c.oid)
    into parts, bounds
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'memory_vector'::regclass;
  for at in 1 .. cardinality(parts) loop
    execute format('alter table memory_vector detach partition %I', parts[at]);
    covering := (select i.indexrelid::regclass::text from pg_index i
                 where i.indrelid = parts[at]::regclass and i.indisunique and i.indisvalid and i.indpred is null
                   and i.indnkeyatts = 3 and i.indnatts = 4);
    execute format('alter table %I add constraint %I primary key using index %s', parts[at], parts[at] || '_pkey', covering);
  end loop;
  drop index memory_vector_search;
  alter table memory_vector
    add constraint memory_vector_search primary key (project_id, space_id, memory_id) include (embedding);
  for at in 1 .. cardinality(parts) loop
    execute format('alter table memory_vector attach partition %I %s', parts[at], bounds[at]);
    execute format('alter table %I drop constraint if exists own_rows', parts[at]);
  end loop;
  return 'memory_vector';
end $$;

-- The order in which credits moved, for folds that start at a checkpoint. `next_credit_index` returns the next statement to
-- run outside of a transaction, null at the end.
-- lock-safe: without its partitions, this builds nothing
create index utility_event_credit on only utility_event (project_id, memory_id, credited) where credited is not null;
create function next_credit_index() returns text
language plpgsql as $$
declare
  part record;
begin
  for part in
    select p.relname as name, x.relname as index_name, coalesce(i.indisvalid, false) as is_valid
    from pg_inherits h
    join pg_class p on p.oid = h.inhrelid
    left join pg_class x on x.relname = p.relname || '_credit' and x.relnamespace = p.relnamespace
    left join pg_index i on i.indexrelid = x.oid
    where h.inhparent = 'utility_event'::regclass
      and not exists (select from pg_inherits a where a.inhrelid = x.oid)
    order by p.oid
  loop
    if part.index_name is null then
      return format('create index concurrently %I on %I (project_id, memory_id, credited) where credited is not null',
                    part.name || '_credit', part.name);
    elsif not part.is_valid then
      -- A build was interrupted.
      return format('drop index concurrently %I', part.index_name);
    end if;
    execute format('alter index utility_event_credit attach partition %I', part.index_name);
  end loop;
  return null;
end $$;
-- lock-safe: only partitions of at most 1 MB
do $$
declare
  part text;
begin
  for part in select p.relname from pg_inherits h join pg_class p on p.oid = h.inhrelid
              where h.inhparent = 'utility_event'::regclass and pg_relation_size(p.oid) <= 1048576 order by p.oid loop
    execute format('create index %I on %I (project_id, memory_id, credited) where credited is not null',
                   part || '_credit', part);
    execute format('alter index utility_event_credit attach partition %I', part || '_credit');
  end loop;
end $$;

-- The position of an entry among those of its memory. Each memory counts for itself, under the lock of its row, so no
-- sequence spans projects. Entries from before this migration keep their numbers, which have the same order. Null until the
-- next entry; then it continues after the last one.
alter table memory_stat
  add entered bigint,
  -- How often the fold was repeated from an earlier position. What was prepared without the lock is valid if this is unchanged.
  add refolds int;
alter table utility_event alter seq drop identity;
alter table memory_change alter seq drop identity;

-- Servers of release 0.1.0 may still work, and send no positions. To be dropped when upgrades from 0.1.0 are no longer supported.
create function position_of_entry() returns trigger
language plpgsql as $$
begin
  -- The statement has locked the memory's row.
  update memory_stat s
  set entered = 1 + coalesce(s.entered, (select max(e.seq) from utility_event e
                                         where e.project_id = new.project_id and e.memory_id = new.memory_id), 0)
  where s.project_id = new.project_id and s.memory_id = new.memory_id
  returning s.entered into new.seq;
  return new;
end $$;
create trigger position_of_entry before insert on utility_event
  for each row when (new.seq is null) execute function position_of_entry();

create function position_of_change() returns trigger
language plpgsql as $$
begin
  new.seq := 1 + coalesce((select max(c.seq) from memory_change c
                           where c.project_id = new.project_id and c.memory_id = new.memory_id), 0);
  return new;
end $$;
create trigger position_of_change before insert on memory_change
  for each row when (new.seq is null) execute function position_of_change();

-- A deleted run. Its row has no content and stays until its partition is dropped, so that its id cannot be stored again, for
-- example from the spool of a client.
alter table trace add erased_at timestamptz;

-- Where a body is if it is not in the row. Null: in the row.
alter table trace_body
  add body_locator text,
  alter body drop not null,
  add constraint body_is_somewhere check ((body is null) <> (body_locator is null)) not valid;
select take_no_samples(relname::text) from pg_class
where oid = 'trace_body'::regclass
   or oid in (select inhrelid from pg_inherits where inhparent = 'trace_body'::regclass);

-- lock-safe: only tables of at most 1 MB
do $$
declare
  part text;
begin
  if rows_size('memory_vector') <= 1048576 then
    perform set_vector_key();
  end if;
  if rows_size('trace_state') > 1048576 then
    create trigger mirror_trace_state after insert or update or delete on trace_state
      for each row execute function mirror_trace_state();
    return;
  end if;
  lock table trace_state in access exclusive mode;
  for part in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
              where i.inhparent = 'trace_state'::regclass loop
    -- Partition by partition: they are not under row-level security, which is forced on the owner too.
    execute format('insert into trace_state_by_time select * from %I', part);
  end loop;
  perform finish_state_split();
  drop table trace_state_by_project;
end $$;
