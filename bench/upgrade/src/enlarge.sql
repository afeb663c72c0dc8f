-- Makes tables larger than 1 MB: 12,000 copies of one run without a review, and space that deleted rows have left.
create function pg_temp.columns_of(wanted text, key text) returns text
language sql as $$
  select string_agg(case when attname = key then 'n.id' else 't.' || quote_ident(attname) end, ', ' order by attnum)
  from pg_attribute
  where attrelid = wanted::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
$$;
create function pg_temp.names_of(wanted text) returns text
language sql as $$
  select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
  where attrelid = wanted::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
$$;
create temp table new_id as select uuidv7() as id from generate_series(1, 12000);
create temp table sample as
select project_id, trace_id from trace_state where review_id is null and not reviewed and last_error is null
order by project_id, trace_id limit 1;

do $$
declare
  name text;
begin
  foreach name in array array['trace', 'trace_body', 'trace_state'] loop
    execute format('insert into %I (%s) select %s from %I t join sample using (project_id, trace_id) cross join new_id n',
                   name, pg_temp.names_of(name), pg_temp.columns_of(name, 'trace_id'), name);
  end loop;
  execute format('insert into utility_event (%s) select %s from (select * from utility_event limit 1) t cross join new_id n',
                 pg_temp.names_of('utility_event'), pg_temp.columns_of('utility_event', 'review_id'));
  delete from utility_event where review_id in (select id from new_id);
  execute format('insert into memory_vector (%s) select %s from (select * from memory_vector limit 1) t cross join new_id n',
                 pg_temp.names_of('memory_vector'), pg_temp.columns_of('memory_vector', 'memory_id'));
  delete from memory_vector where memory_id in (select id from new_id);
end $$;
