-- The next statement that builds an index on a table in use, and whether it runs concurrently with writes and therefore
-- outside of a transaction. No row if the index is complete. An index of a partitioned table consists of an index on each
-- partition: Postgres cannot build them concurrently in one statement. An index that an interrupted build left behind is
-- invalid and is built again.
with root as (
  select c.oid, c.relname, c.relkind, i.indexrelid, i.indisvalid
  from pg_class c
  left join (pg_index i join pg_class n on n.oid = i.indexrelid and n.relname = $2::text) on i.indrelid = c.oid
  where c.oid = $1::text::regclass
), part as (
  select c.oid, c.relname, left(c.relname || '_' || $2, 63) as index_name,
         exists (select from pg_inherits a join pg_index i on i.indexrelid = a.inhrelid
                 where a.inhparent = root.indexrelid and i.indrelid = c.oid) as done
  from root join pg_inherits h on h.inhparent = root.oid join pg_class c on c.oid = h.inhrelid
  where root.relkind = 'p'
  union all
  select root.oid, root.relname, $2, coalesce(root.indisvalid, false) from root where root.relkind = 'r'
), missing as (
  select part.relname, part.index_name, i.indisvalid
  from part
  left join (pg_index i join pg_class n on n.oid = i.indexrelid) on i.indrelid = part.oid and n.relname = part.index_name
  where not part.done
), verb (words) as (
  values (case when $3::boolean then 'create unique index' else 'create index' end)
), step as (
  select 0 as stage, format('%s %I on only %I %s', verb.words, $2, root.relname, $4::text) as statement,
         false as concurrent
  from root, verb where root.relkind = 'p' and root.indexrelid is null
  union all
  select 1, format('drop index concurrently %I', missing.index_name), true
  from missing where not missing.indisvalid
  union all
  select 2, format('%s concurrently %I on %I %s', verb.words, missing.index_name, missing.relname, $4), true
  from missing, verb where missing.indisvalid is null
  union all
  select 3, format('alter index %I attach partition %I', $2, missing.index_name), false
  from missing where missing.indisvalid
)
select statement, concurrent from step order by stage, statement limit 1
