-- Which memories were imported, and from where. An item that is imported again is the memory that it became the first time, also if
-- that memory was deleted or erased since: what a person removed does not come back with the next import.

create table memory_import (
  project_id int not null,
  -- Made by the importer: a digest of the item.
  import_key uuid not null,
  memory_id uuid not null,
  -- The importer, and the file, the line and the id of the item there.
  source jsonb not null,
  created_at timestamptz not null default now(),
  primary key (project_id, import_key)
) partition by hash (project_id);
create index memory_import_memory on memory_import (project_id, memory_id);

select split_by_project('memory_import');
select guard_by_project('memory_import');

select take_no_samples(relname::text) from pg_class
where oid = 'memory_import'::regclass
   or oid in (select inhrelid from pg_inherits where inhparent = 'memory_import'::regclass);
