-- What must not be kept: the key by which placeholders of redacted values are told apart, and the removal of
-- what is known about one run or one person.

-- Of each project its own and random, so that a tag says nothing to anybody who could only guess. Goes with
-- the project.
alter table project add tag_key bytea not null
  default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
  check (length(tag_key) = 32);

-- Whom a run is about, as the client says in its metadata, so that all of that can be found and removed.
alter table trace add subject text generated always as (left(metadata ->> 'subject', 500)) stored;
create index trace_subject on trace (project_id, subject, trace_id) where subject is not null;

-- The planner's statistics of a column quote its rows, and quote them on when the rows are gone: an empty table is not
-- sampled again. Nothing is planned by what people and agents wrote, so no samples of it are taken.
create function take_no_samples(relation text) returns void
language plpgsql as $$
declare
  written text;
begin
  for written in
    select a.attname from pg_attribute a
    where a.attrelid = relation::regclass and a.attnum > 0 and not a.attisdropped
      and a.atttypid = any ('{text, "text[]", json, jsonb, bytea, tsvector}'::regtype[])
  loop
    execute format('alter table %I alter column %I set statistics 0', relation, written);
  end loop;
end $$;

-- Partitions are made beside the table and attached to it, and what is generated has to be generated there too.
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
  moved bigint;
begin
  execute format('create table %I (like %I including defaults including constraints including storage including generated)',
                 child, parent);
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

-- By which what came of a run is found.
create index review_trace on review (project_id, trace_id);
create index memory_source_trace on memory (project_id, source_trace);

-- A request to remove what is known about one run or one subject, and how far that has come.
create table erasure (
  project_id int not null,
  erasure_id uuid not null,
  -- One of both. The subject is removed with the rest, when all is done.
  trace_id uuid,
  subject text,
  keep_memories boolean not null default false,
  state smallint not null default 0 check (state between 0 and 2),   -- 0 waiting 1 running 2 done
  -- The run that was dealt with last: where to go on.
  checkpoint uuid,
  traces int not null default 0,
  -- What was removed, by table; numbers only.
  removed jsonb not null default '{}',
  requested_by text not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (project_id, erasure_id),
  check (state = 2 or (trace_id is null) <> (subject is null))
) partition by hash (project_id);
select split_by_project('erasure');
select guard_by_project('erasure');

-- All tables that hold rows of projects, with their partitions.
select take_no_samples(relname::text) from pg_class
where relkind = 'p' and relrowsecurity and relnamespace = 'public'::regnamespace;
