-- Removes the indexes of words and metadata, which are built again after the tables are filled.
do $$
declare
  one text;
begin
  for one in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
             where i.inhparent = 'memory'::regclass loop
    execute format('drop index if exists %I', one || '_terms');
  end loop;
end $$
