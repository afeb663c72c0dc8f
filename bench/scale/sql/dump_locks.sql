-- The locks of pg_dump, as long as the transaction is open.
do $$
declare
  one regclass;
begin
  for one in select c.oid from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace loop
    execute format('lock table only %s in access share mode', one);
  end loop;
end $$
