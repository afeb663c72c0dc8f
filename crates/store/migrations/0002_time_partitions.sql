-- Tables that grow with time are split by the time in their UUIDv7 id. A look-up by id then visits
-- one partition, and letting go of old data is dropping a table instead of deleting rows.
--
-- The routine below is run by the server when it starts and every hour after that. It is SQL rather
-- than Rust because it is all data definition, and because an operator can call it by hand.

create table partition_plan (
  parent text primary key,
  -- Width of new partitions. Changing it is safe: existing ones keep theirs.
  width interval not null check (width >= interval '1 day'),
  -- How far back partitions must exist, because clients may send ids of the last 30 days.
  behind interval not null default '0',
  ahead interval not null default '21 days',
  -- How long rows are kept. Null keeps them for ever.
  keep interval
);

create table time_partition (
  child text primary key,
  parent text not null references partition_plan,
  from_at timestamptz not null,
  to_at timestamptz not null check (to_at > from_at),
  unique (parent, from_at)
);

-- The smallest UUIDv7 of a moment.
create function uuid_at(moment timestamptz) returns uuid
language sql immutable strict as $$
  select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Splits a table by time: a plan, and the partition that catches what no other one takes.
create function split_by_time(parent text, behind interval, keep interval) returns void
language plpgsql as $$
declare
  days int := coalesce(nullif(current_setting('reflect.partition_days', true), '')::int, 7);
begin
  insert into partition_plan (parent, width, behind, keep)
  values (parent, make_interval(days => days), behind, keep);
  execute format('create table %I partition of %I default', parent || '_default', parent);
end $$;

-- Makes the partitions that will be needed, drops the expired, and empties the default partitions.
-- Says what it did; `stray` rows are ones that had landed in a default partition, which means that
-- this routine did not run in time or that an id carried an unexpected date.
create function keep_partitions(at timestamptz)
returns table (action text, partition text, row_count bigint)
language plpgsql as $$
declare
  plan partition_plan;
  old time_partition;
  window_from timestamptz;
  window_to timestamptz;
  last_needed timestamptz;
  child text;
  strays bigint;
begin
  -- Two servers that start together must not both make the same partition.
  perform pg_advisory_xact_lock(hashtextextended('reflect keep_partitions', 0));
  for plan in select * from partition_plan order by partition_plan.parent loop
    window_from := date_bin(plan.width, at - least(plan.behind, plan.keep), timestamptz '2024-01-01 00:00:00+00');
    last_needed := at + plan.ahead;
    while window_from <= last_needed loop
      -- A partition of another width may cover the start of this window already.
      select to_at into window_to from time_partition t
        where t.parent = plan.parent and t.from_at <= window_from and t.to_at > window_from;
      if found then
        window_from := window_to;
        continue;
      end if;
      window_to := window_from + plan.width;
      select min(from_at) into window_to from (
        select window_to as from_at union all
        select t.from_at from time_partition t where t.parent = plan.parent and t.from_at > window_from
      ) bounds;
      child := plan.parent || '_t' || to_char(window_from at time zone 'utc', 'YYYYMMDD');
      strays := attach_window(plan.parent, child, window_from, window_to);
      action := 'made'; partition := child; row_count := 0;
      return next;
      if strays > 0 then
        action := 'stray'; row_count := strays;
        return next;
      end if;
      window_from := window_to;
    end loop;
    for old in select * from time_partition t
               where t.parent = plan.parent and t.to_at < at - plan.keep order by t.from_at loop
      execute format('drop table %I', old.child);
      delete from time_partition t where t.child = old.child;
      action := 'dropped'; partition := old.child; row_count := 0;
      return next;
    end loop;
    execute format('select count(*) from (select from %I limit 100000) counted', plan.parent || '_default')
      into strays;
    action := 'left'; partition := plan.parent || '_default'; row_count := strays;
    return next;
  end loop;
end $$;

-- Makes one partition and moves into it what the default partition had caught of its time.
create function attach_window(parent text, child text, window_from timestamptz, window_to timestamptz)
returns bigint
language plpgsql as $$
declare
  key_column text := (select a.attname from pg_partitioned_table p
                      join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
                      where p.partrelid = parent::regclass);
  moved bigint;
begin
  execute format('create table %I (like %I including defaults including constraints including storage)',
                 child, parent);
  execute format('with strays as (delete from %I where %I >= %L and %I < %L returning *)
                  insert into %I select * from strays',
                 parent || '_default', key_column, uuid_at(window_from), key_column, uuid_at(window_to), child);
  get diagnostics moved = row_count;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                 parent, child, uuid_at(window_from), uuid_at(window_to));
  insert into time_partition (child, parent, from_at, to_at) values (child, parent, window_from, window_to);
  return moved;
end $$;
