-- Moving a project to another database: all its rows as lines of JSON, and such lines as rows again.
--
-- The three routines below read the catalogue of Postgres instead of naming columns, so that a column that is added
-- later is moved from the day it exists. They work as whoever calls them and are under row-level security like
-- any statement; which tables there are to move is the server's list (`crates/store/src/moving/tables.rs`).

-- A project that is being imported: the digest of the pack that it comes from, and how many parts of it are here.
-- Null for every other project. Until the import is verified nobody finds the project.
alter table project
  add import_pack text,
  add import_parts int not null default 0 check (import_parts >= 0);

-- What has to be known of a table to write statements for it.
create function moved_columns(parent text)
returns table (name text, type text, is_key boolean, is_json boolean, is_space boolean)
language sql stable as $$
  with identified as (
    select i.indkey::int2[] as columns, i.indnkeyatts as keys from pg_index i
    where i.indrelid = parent::regclass and i.indpred is null
    -- Without any unique index another one gives the order, so that rows that are there twice can be seen.
    order by i.indisprimary desc, i.indisunique desc, i.indexrelid limit 1
  )
  select a.attname::text, format_type(a.atttypid, a.atttypmod),
         coalesce(array_position(identified.columns, a.attnum) < identified.keys, false),
         a.atttypid = 'jsonb'::regtype,
         -- Numbers of embedding spaces differ from one database to the next.
         a.attname in ('space_id', 'from_space', 'to_space')
  from pg_attribute a, identified
  where a.attrelid = parent::regclass and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = '' and a.attname <> 'project_id'
  order by array_position(identified.columns, a.attnum), a.attnum
$$;

-- The condition that a row comes after, or not after, another one in the order of its key.
create function moved_condition(parent text, operator text, given text) returns text
language sql stable as $$
  select format('(%s) %s (%s)', string_agg(format('t.%I', name), ', '), operator,
                string_agg(format('(%s ->> %L)::%s', given, name, type), ', '))
  from moved_columns(parent) where is_key
$$;

-- Some rows of a project in the order of their key, after a given one: the row as JSON, its key, and a number that
-- changes with every version of the row. `spaces` says what to call each embedding space.
create function rows_to_move(parent text, project_id int, after jsonb, most int, spaces jsonb)
returns table (line text, at jsonb, version bigint)
language plpgsql stable as $$
declare
  keys text;
  key_pairs text;
  named_spaces text;
  nulls text;
begin
  select string_agg(format('t.%I', name), ', ') filter (where is_key),
         string_agg(format('%L, t.%I', name, name), ', ') filter (where is_key),
         coalesce(string_agg(format('%L, $4 -> t.%I::text', name, name), ', ') filter (where is_space), ''),
         -- Nothing and the JSON `null` are two things, and a row as JSON shows both as `null`: nothing is left out.
         coalesce(string_agg(format(' - case when t.%I is null then %L else %L end', name, name, ''), '')
                  filter (where is_json), '')
    into keys, key_pairs, named_spaces, nulls
  from moved_columns(parent);
  return query execute format(
    'select (((to_jsonb(t) - array(select a.attname::text from pg_attribute a where a.attrelid = %L::regclass
                                   and (a.attgenerated <> %L or a.attname = %L))) || jsonb_build_object(%s))%s)::text,
            jsonb_build_object(%s), hashtextextended(t.xmin::text || jsonb_build_object(%s)::text, 0)
     from %I t where t.project_id = $1%s order by %s limit $3',
    parent, '', 'project_id', named_spaces, nulls, key_pairs, key_pairs, parent,
    case when after is null then '' else ' and ' || moved_condition(parent, '>', '$2') end, keys)
    using project_id, after, most, spaces;
end $$;

-- The versions of a project's rows between two keys: how many, and their numbers added up. What has not changed
-- gives the same again, without being read.
create function versions_to_move(parent text, project_id int, after jsonb, upto jsonb)
returns table (row_count bigint, version_sum text)
language plpgsql stable as $$
declare
  key_pairs text := (select string_agg(format('%L, t.%I', name, name), ', ') from moved_columns(parent) where is_key);
begin
  return query execute format(
    'select count(*), coalesce(sum(hashtextextended(t.xmin::text || jsonb_build_object(%s)::text, 0)), 0)::text
     from %I t where t.project_id = $1 and %s%s',
    key_pairs, parent, moved_condition(parent, '<=', '$3'),
    case when after is null then '' else ' and ' || moved_condition(parent, '>', '$2') end)
    using project_id, after, upto;
end $$;

-- Lines as rows of a project. A row that is there already stays as it is, so the same lines again change nothing.
create function rows_from_lines(parent text, project_id int, lines jsonb, spaces jsonb) returns bigint
language plpgsql as $$
declare
  names text;
  sources text;
  named_spaces text;
  written bigint;
begin
  select string_agg(format('%I', name), ', '),
         string_agg(case when is_json then format('sent.line -> %L', name) else format('r.%I', name) end, ', '),
         coalesce(string_agg(format('%L, $3 -> (line ->> %L)', name, name), ', ') filter (where is_space), '')
    into names, sources, named_spaces
  from moved_columns(parent);
  execute format(
    'insert into %I (project_id, %s) overriding system value
     select $1, %s
     from (select line || jsonb_build_object(%s) as line from jsonb_array_elements($2) as line) as sent,
          jsonb_populate_record(null::%I, sent.line) as r
     on conflict do nothing',
    parent, names, sources, named_spaces, parent)
    using project_id, lines, spaces;
  get diagnostics written = row_count;
  return written;
end $$;
