-- The time in a UUID of version 7. The id of a run has the time of the run, which was sent later if it was imported or kept by a
-- client that was offline.
create function uuid_time(id uuid) returns timestamptz
language sql immutable strict parallel safe as $$
  select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;
