-- Search by size: exact search through the covering index for most projects, a graph (HNSW) in a partition of its own for a
-- large one, and one index of words and metadata for all of them. Statements call `candidates` and do not know which is used.
--
-- A graph is a copy. `memory_vector` stays complete, so exact search is possible at any time: to measure the graph, and to
-- answer when there is none.

-- Fresh rows cost an index-only scan a visit to the table until they are vacuumed. A vacuum after inserts reads the new pages
-- only, so it may run often, whatever the size of the partition.
do $$
declare
  child text;
begin
  for child in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
               where i.inhparent = 'memory_vector'::regclass loop
    execute format('alter table %I set (autovacuum_vacuum_insert_threshold = 500, autovacuum_vacuum_insert_scale_factor = 0,
                                        autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02)', child);
  end loop;
end $$;

-- The graph of a project in a space, and how far it is. Outside of row-level security, like the catalogue: the work on graphs
-- belongs to no project. It contains numbers only.
create table vector_graph (
  graph_id int generated always as identity,
  project_id int not null,
  space_id smallint not null,
  dimensions int not null check (dimensions between 1 and 4000),
  -- 0 building 1 catching up 2 checking 3 serving 4 rejected 5 retired. Writes are copied in 1, 2 and 3.
  state smallint not null default 0 check (state between 0 and 5),
  -- Whether it has its partition.
  attached boolean not null default false,
  -- Transactions before this one may not have copied what they wrote.
  horizon xid8,
  -- How many vectors it was built with.
  vectors bigint not null default 0 check (vectors >= 0),
  -- How many entries a query looks at, as the last check found it.
  ef_search int check (ef_search between 1 and 1000),
  -- The last check: share of the nearest memories that the graph finds, over this number of questions.
  recall real check (recall between 0 and 1),
  questions int not null default 0 check (questions >= 0),
  checked_at timestamptz,
  attempts int not null default 0 check (attempts >= 0),
  last_error text,
  changed_at timestamptz not null default now(),
  primary key (project_id, graph_id),
  constraint served_graph_is_checked check (state <> 3 or (attached and ef_search is not null and recall is not null))
);
create unique index vector_graph_live on vector_graph (project_id, space_id) where state <> 5;

-- Vectors of large projects, one partition per graph. No default partition: a graph without its partition gets no rows.
create table graph_vector (
  project_id int not null,
  graph_id int not null,
  memory_id uuid not null,
  embedding halfvec not null,
  primary key (project_id, graph_id, memory_id)
) partition by list (graph_id);
alter table graph_vector alter embedding set storage plain;
select guard_by_project('graph_vector');

-- Copies what a statement wrote into the graphs of its projects, in the same transaction. A trigger, so that learning, edits,
-- releases from quarantine, imports, erasures and purges are all copied.
create function copy_to_graph() returns trigger
language plpgsql as $$
declare
  graph record;
begin
  for graph in select g.graph_id, g.project_id, g.space_id
               from (select distinct w.project_id, w.space_id from written w) w
               join vector_graph g on g.project_id = w.project_id and g.space_id = w.space_id and g.state between 1 and 3 loop
    -- With numbers in the text, so that only the partition of this graph is planned and locked.
    if tg_op = 'INSERT' then
      execute format('insert into graph_vector (project_id, graph_id, memory_id, embedding)
                      select w.project_id, %s, w.memory_id, w.embedding from written w
                      where w.project_id = %s and w.space_id = %s
                      on conflict do nothing', graph.graph_id, graph.project_id, graph.space_id);
    else
      execute format('delete from graph_vector g using written w
                      where g.project_id = %s and g.graph_id = %s and w.project_id = %1$s and w.space_id = %3$s
                        and g.memory_id = w.memory_id', graph.project_id, graph.graph_id, graph.space_id);
    end if;
  end loop;
  return null;
end $$;
create trigger copy_inserted after insert on memory_vector
  referencing new table as written for each statement execute function copy_to_graph();
create trigger copy_deleted after delete on memory_vector
  referencing old table as written for each statement execute function copy_to_graph();

-- Creates the partition of a graph: copies the vectors, builds the index, attaches it. All of it in one transaction, on a table
-- that no query reads and no transaction writes until it is attached; so the index is built without CONCURRENTLY, other
-- transactions do not wait, and a build that dies leaves nothing. Runs with the rights of the tables' owner. Returns the number
-- of vectors; null if the graph is not to be built, or another process builds it.
create function build_graph(project int, graph int) returns bigint
language plpgsql security definer as $$
declare
  built vector_graph;
  child text := 'graph_vector_g' || graph;
  copied bigint;
begin
  select * into built from vector_graph g where g.project_id = project and g.graph_id = graph and g.state = 0
    for update skip locked;
  if not found then
    return null;
  end if;
  execute format('create table %I (like graph_vector including storage, check (graph_id = %s and project_id = %s))
                  with (autovacuum_vacuum_insert_threshold = 500, autovacuum_vacuum_insert_scale_factor = 0,
                        autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02)', child, graph, project);
  execute format('insert into %I (project_id, graph_id, memory_id, embedding)
                  select v.project_id, %s, v.memory_id, v.embedding from memory_vector v
                  where v.project_id = %s and v.space_id = %s', child, graph, project, built.space_id);
  get diagnostics copied = row_count;
  execute format('alter table %I add primary key (project_id, graph_id, memory_id)', child);
  -- A graph that does not fit into memory is built many times slower. At most 1 GB, and never less than the server's setting.
  perform set_config('maintenance_work_mem', greatest(
    pg_size_bytes(current_setting('maintenance_work_mem')) / 1024,
    least(1048576, copied * (2 * built.dimensions + 800) / 1024))::text, true);
  execute format('create index %I on %I using hnsw ((embedding::halfvec(%s)) halfvec_ip_ops)
                  with (m = 16, ef_construction = 128)', child || '_nearest', child, built.dimensions);
  execute format('alter table graph_vector attach partition %I for values in (%s)', child, graph);
  execute format('analyze %I', child);
  update vector_graph g set state = 1, attached = true, horizon = null, vectors = copied, attempts = 0, last_error = null,
                            changed_at = clock_timestamp()
  where g.project_id = project and g.graph_id = graph;
  return copied;
end $$;

-- Removes the partition of a graph that has been rejected or retired for some time, and a retired graph with it. The time lets
-- queries end that began before. Detaching needs a short lock on the parent; it is tried again later if it has to wait. Runs
-- with the rights of the tables' owner. Returns whether the partition is gone.
create function drop_graph(project int, graph int, rest interval) returns boolean
language plpgsql security definer as $$
declare
  dropped vector_graph;
  child text := 'graph_vector_g' || graph;
begin
  perform set_config('lock_timeout', '100ms', true);
  select * into dropped from vector_graph g
  where g.project_id = project and g.graph_id = graph and g.state in (4, 5) and g.changed_at <= clock_timestamp() - rest
    for update skip locked;
  if not found then
    return false;
  end if;
  if dropped.attached then
    begin
      execute format('alter table graph_vector detach partition %I', child);
      execute format('drop table %I', child);
    exception when lock_not_available then
      return false;
    end;
    update vector_graph g set attached = false where g.project_id = project and g.graph_id = graph;
  end if;
  delete from vector_graph g where g.project_id = project and g.graph_id = graph and g.state = 5;
  return true;
end $$;

-- How many vectors the largest projects have, as the planner's statistics estimate it: reading all projects would cost as much
-- as all of them have. Runs with the rights of the tables' owner, who may read the statistics of partitions.
create function estimated_vectors() returns table (project_id int, vectors bigint)
language sql stable security definer as $$
  select common.project_id, (common.share * c.reltuples)::bigint
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  join pg_stats s on s.schemaname = c.relnamespace::regnamespace::text and s.tablename = c.relname
    and s.attname = 'project_id' and not s.inherited
  cross join lateral unnest(s.most_common_vals::text::int[], s.most_common_freqs) as common (project_id, share)
  where i.inhparent = 'memory_vector'::regclass and c.reltuples > 0
$$;

-- The nearest vectors of a project in a space, by comparing all of them: read in a row from the covering index. The settings
-- hold for this function: without them the planner reads the whole partition, and with a plan for each call planning costs more
-- than the rest of a small search. The question is converted once, not for each row.
create function exact_candidates(project int, space smallint, question real[], k bigint)
returns table (memory_id uuid, distance float8)
language plpgsql stable rows 40
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  asked halfvec := question::halfvec;
begin
  return query
    select v.memory_id, v.embedding <#> asked from memory_vector v
    where v.project_id = project and v.space_id = space
    order by v.embedding <#> asked
    limit k;
end $$;

-- The same through a graph, in no exact order. A filter is checked for each memory that the graph returns, until there are
-- enough. Numbers are part of the text, so that only one partition is planned and its index, which names the dimensions, fits.
create function graph_candidates(project int, graph int, dimensions int, ef_search int, question real[], k bigint,
                                 wanted jsonb default '{}', unwanted jsonb default '{}')
returns table (memory_id uuid, distance float8)
language plpgsql stable rows 40
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
begin
  perform set_config('hnsw.ef_search', greatest(ef_search, least(1000, 2 * k))::text, true),
          set_config('hnsw.iterative_scan', 'relaxed_order', true),
          set_config('hnsw.max_scan_tuples', '40000', true);
  return query execute format(
    'select v.memory_id, v.embedding::halfvec(%1$s) <#> $1 from graph_vector v
     where v.graph_id = %2$s and v.project_id = %3$s%4$s
     order by v.embedding::halfvec(%1$s) <#> $1
     limit $2', dimensions, graph, project,
    -- A value and not a join, so that the order of the graph is kept.
    case when wanted = '{}' and unwanted = '{}' then '' else format(
      ' and (select not exists (select from jsonb_each($3) f where not coalesce(m.metadata -> f.key @> f.value, false))
                and ($4 = %2$L or exists (select from jsonb_each($4) x where not coalesce(m.metadata -> x.key @> x.value, false)))
             from memory m where m.project_id = %1$s and m.memory_id = v.memory_id)', project, '{}') end)
    using question::halfvec, k, wanted, unwanted;
end $$;

-- Words and metadata of a memory as numbers, for one index over the memories of many projects. The project is part of each
-- number: a search reads no entries of other projects, and an index with the project as a column would need an extension.
-- Metadata is its scalars and the scalars of its lists, each with its key. Two texts may give the same number, so the rows that
-- are found are compared again. Complete in itself, because it runs without a search path while the index is built.
create function memory_terms(project int, words tsvector, metadata jsonb) returns bigint[]
language sql immutable parallel safe as $$
  select array(
    select hashtextextended(project || ' ' || lexeme, 1) from unnest(tsvector_to_array(words)) lexeme
    union all
    select hashtextextended(project || ' ' || length(key) || ' ' || key || case
             -- 1 and 1.0 are equal in JSON.
             when jsonb_typeof(value) = 'number' then trim_scale((value #>> '{}')::numeric)::text
             else value::text end, 2)
    from (select e.key, e.value from jsonb_each(metadata) e where jsonb_typeof(e.value) not in ('object', 'array')
          union all
          select e.key, l.value
          from jsonb_each(metadata) e,
               jsonb_array_elements(case when jsonb_typeof(e.value) = 'array' then e.value else '[]' end) l
          where jsonb_typeof(l.value) not in ('object', 'array')) scalars)
$$;

-- The partition of a project.
create function project_partition(parent text, project int) returns text
language sql stable as $$
  select parent || '_h' || part from installation, generate_series(0, hash_partitions - 1) part
  where satisfies_hash_partition(parent::regclass, hash_partitions, part, project)
$$;

-- The statements that build the missing indexes of terms, one per partition of `memory`. An unfinished one is removed first.
-- Without samples: they would repeat what memories contain, and be expensive.
create function missing_term_indexes(online boolean) returns table (statement text)
language sql stable as $$
  select steps.statement
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  left join pg_index x on x.indexrelid = to_regclass(quote_ident(c.relname || '_terms'))
  cross join lateral (values
    (1, case when not x.indisvalid then format('drop index %s%I', case when online then 'concurrently ' else '' end,
                                            c.relname || '_terms') end),
    -- Without a list of pending entries, which every search would read.
    (2, format('create index %s%I on %I using gin (memory_terms(project_id, words, metadata)) with (fastupdate = off)',
               case when online then 'concurrently ' else '' end, c.relname || '_terms', c.relname)),
    (3, format('alter index %I alter column 1 set statistics 0', c.relname || '_terms'))) steps (step, statement)
  where i.inhparent = 'memory'::regclass and x.indisvalid is not true and steps.statement is not null
  order by c.relname, steps.step
$$;

-- At once where there are no memories. Otherwise `reflect migrate` builds them at its end, without blocking writes.
do $$
declare
  child text;
  is_empty boolean;
  step text;
begin
  for child in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
               where i.inhparent = 'memory'::regclass loop
    -- The partition itself: row-level security hides the rows of its parent.
    execute format('select not exists (select from %I)', child) into is_empty;
    if not is_empty then
      return;
    end if;
  end loop;
  for step in select statement from missing_term_indexes(false) loop
    execute step;
  end loop;
end $$;

-- Whether the memories of a project have their index of terms.
create function has_term_index(project int) returns boolean
language sql stable as $$
  select coalesce((select x.indisvalid from pg_index x
                   where x.indexrelid = to_regclass(quote_ident(project_partition('memory', project) || '_terms'))), false)
$$;

-- Memories of the transaction's project that match a filter, found by its terms; at most this many. Row-level security would
-- not let the index be used, because its operators are not leak-proof. So the function reads the partition with the rights of
-- its owner, takes the project from the setting that row-level security uses, and returns ids only.
create function memories_matching(wanted jsonb, unwanted jsonb, most int) returns setof uuid
language plpgsql stable rows 1000 security definer
-- The index gives bitmaps only, and searches by vector turn these off.
set enable_seqscan = off set enable_bitmapscan = on
as $$
declare
  project int := nullif(current_setting('reflect.project_id', true), '')::int;
begin
  return query execute format(
    -- The project as an expression, because its terms find it, and the primary key must not be used instead.
    'select m.memory_id from %I m
     where memory_terms(m.project_id, m.words, m.metadata) @> $1 and m.project_id + 0 = $2
       and not exists (select from jsonb_each($3) f where not coalesce(m.metadata -> f.key @> f.value, false))
       and ($4 = %L or exists (select from jsonb_each($4) x where not coalesce(m.metadata -> x.key @> x.value, false)))
     limit $5', project_partition('memory', project), '{}')
    using memory_terms(project, '', wanted), project, wanted, unwanted, most;
end $$;

-- Memories of the transaction's project that contain one of these words and the terms of a filter, in the same way.
create function memories_with_words(lexemes text[], wanted jsonb, most int) returns setof uuid
language plpgsql stable rows 1000 security definer
-- The index gives bitmaps only, and searches by vector turn these off.
set enable_seqscan = off set enable_bitmapscan = on
as $$
declare
  project int := nullif(current_setting('reflect.project_id', true), '')::int;
  terms bigint[] := memory_terms(project, '', wanted);
begin
  return query execute format(
    'select m.memory_id from %I m
     where memory_terms(m.project_id, m.words, m.metadata) && $1 and m.project_id + 0 = $2%s
     limit $4', project_partition('memory', project),
    -- No terms would match every entry of the index.
    case when cardinality(terms) > 0 then ' and memory_terms(m.project_id, m.words, m.metadata) @> $3' else '' end)
    using memory_terms(project, array_to_tsvector(coalesce(lexemes, '{}')), '{}'), project, terms, most;
end $$;

-- The memories whose words are compared with those of a question; null: all of them. A larger project: those that match the
-- filter and contain one of the rarest words of the question, as a sample of the newest memories shows, and then those with more
-- frequent words until there are enough.
-- A word that most memories contain says little, and comparing all of them would make the cost grow with the project.
create function memories_to_compare(project int, question text, wanted jsonb) returns uuid[]
language plpgsql stable as $$
declare
  small constant int := 3000;
  sampled constant int := 400;
  enough constant int := 500;
  most constant int := 2000;
  lexemes text[];
  rare int;
  found uuid[];
begin
  if (select count(*) from (select from memory m where m.project_id = project limit small + 1) counted) <= small
     or not has_term_index(project) then
    return null;
  end if;
  with asked as (
    select lexeme from unnest(tsvector_to_array(to_tsvector('english', question))) lexeme
  ), newest as materialized (
    select m.words from memory m where m.project_id = project order by m.memory_id desc limit sampled
  ), seen as (
    select lexeme, count(*) as memories
    from newest, unnest(tsvector_to_array(newest.words)) lexeme
    where lexeme in (select a.lexeme from asked a)
    group by lexeme
  ), rarest as (
    select a.lexeme, coalesce(s.memories, 0) as memories
    from asked a left join seen s on s.lexeme = a.lexeme
    order by 2, length(a.lexeme) desc, a.lexeme
    limit 32
  )
  select array_agg(r.lexeme order by r.memories, length(r.lexeme) desc, r.lexeme), count(*) filter (where r.memories <= 1)
    into lexemes, rare from rarest r;
  found := array(select memories_with_words(lexemes[1:greatest(rare, 1)], wanted, most));
  for place in greatest(rare, 1) + 1 .. coalesce(cardinality(lexemes), 0) loop
    exit when cardinality(found) >= enough;
    found := array(select unnest(found)
                   union select memories_with_words(lexemes[place:place], wanted, most - cardinality(found)));
  end loop;
  return found;
end $$;

-- The nearest memories of a project in a space that match a filter, in no particular order: the only way in which vectors are
-- searched. Few matches are compared one by one, whatever the size of the project. Otherwise a graph is used if one serves the
-- project, else exact search. A graph is left aside for a very long list, and if its partition has just been removed.
create function candidates(project int, space smallint, question real[], k bigint,
                           wanted jsonb default '{}', unwanted jsonb default '{}')
returns table (memory_id uuid, distance float8)
language plpgsql stable rows 40
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  few constant int := 20000;
  -- A new vector that is far from all others can be left without a link in the graph, and is then not found there.
  tail constant int := 200;
  asked halfvec := question::halfvec;
  filtered constant boolean := wanted <> '{}' or unwanted <> '{}';
  matching uuid[];
  near uuid[];
  distances float8[];
  graph record;
begin
  if question is null then
    return;
  end if;
  if filtered and cardinality(memory_terms(project, '', wanted)) > 0 and has_term_index(project) then
    matching := array(select memories_matching(wanted, unwanted, few + 1));
    if cardinality(matching) <= few then
      return query
        select v.memory_id, v.embedding <#> asked
        from unnest(matching) as m (memory_id)
        join memory_vector v on v.project_id = project and v.space_id = space and v.memory_id = m.memory_id
        order by v.embedding <#> asked
        limit k;
      return;
    end if;
  end if;
  select g.graph_id, g.dimensions, g.ef_search into graph from vector_graph g
  where g.project_id = project and g.space_id = space and g.state = 3;
  if found and k <= 1000 then
    select array_agg(c.memory_id), array_agg(c.distance) into near, distances
    from graph_candidates(project, graph.graph_id, graph.dimensions, graph.ef_search, question, k, wanted, unwanted) c;
  end if;
  if near is not null then
    return query
      with newest as materialized (
        select v.memory_id, v.embedding <#> asked as distance from memory_vector v
        where v.project_id = project and v.space_id = space
        order by v.memory_id desc
        limit tail
      )
      select c.memory_id, min(c.distance)
      from (select * from unnest(near, distances) as g (memory_id, distance)
            union all
            select n.memory_id, n.distance from newest n
            where not filtered or exists (
              select from memory m
              where m.project_id = project and m.memory_id = n.memory_id
                and not exists (select from jsonb_each(wanted) f where not coalesce(m.metadata -> f.key @> f.value, false))
                and (unwanted = '{}'
                     or exists (select from jsonb_each(unwanted) x where not coalesce(m.metadata -> x.key @> x.value, false)))
            )) as c (memory_id, distance)
      group by c.memory_id
      order by 2
      limit k;
    return;
  end if;
  if not filtered then
    return query select c.memory_id, c.distance from exact_candidates(project, space, question, k) c;
    return;
  end if;
  return query
    with allowed as materialized (
      select m.memory_id from memory m
      where m.project_id = project
        and not exists (select from jsonb_each(wanted) f where not coalesce(m.metadata -> f.key @> f.value, false))
        and (unwanted = '{}'
             or exists (select from jsonb_each(unwanted) x where not coalesce(m.metadata -> x.key @> x.value, false)))
    )
    select v.memory_id, v.embedding <#> asked
    from allowed a
    join memory_vector v on v.project_id = project and v.space_id = space and v.memory_id = a.memory_id
    order by v.embedding <#> asked
    limit k;
end $$;

-- A function with the owner's rights must not find tables of others, and only the server may call it.
do $$
declare
  signature text;
begin
  foreach signature in array '{"build_graph(int, int)", "drop_graph(int, int, interval)", estimated_vectors(),
                              "memories_matching(jsonb, jsonb, int)", "memories_with_words(text[], jsonb, int)"}'::text[] loop
    execute format('alter function %s set search_path = %I, pg_temp', signature, current_schema());
    execute format('revoke execute on function %s from public', signature);
  end loop;
  -- The extension, with the type of vectors, may be in another schema.
  execute format('alter function build_graph(int, int) set search_path = %I, %I, pg_temp', current_schema(),
                 (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace
                  where e.extname = 'vector'));
  -- The trigger has the rights of the writer. A running server writes vectors before `reflect migrate` grants its rights.
  if exists (select from pg_roles where rolname = 'reflect_app') then
    grant select, insert, update, delete on vector_graph, graph_vector to reflect_app;
  end if;
end $$;
