-- Grants the server's role all row operations on the queue, which holds only ids. The tables have row-level security
-- without a policy, which would hide all rows, so a policy is added. It names no role, because a dump must be restorable
-- where the role does not exist; the grants decide who has access.
do $$
declare
  queue_table text;
begin
  grant usage on schema reflect_jobs to reflect_app;
  grant select, insert, update, delete on all tables in schema reflect_jobs to reflect_app;
  grant usage, select on all sequences in schema reflect_jobs to reflect_app;
  grant execute on all functions in schema reflect_jobs to reflect_app;
  for queue_table in select c.relname from pg_class c where c.relnamespace = 'reflect_jobs'::regnamespace
                     and c.relkind = 'r' and c.relrowsecurity loop
    if not exists (select from pg_policies p where p.schemaname = 'reflect_jobs' and p.tablename = queue_table
                   and p.policyname = 'server') then
      execute format('create policy server on reflect_jobs.%I using (true) with check (true)', queue_table);
    end if;
  end loop;
exception when undefined_object then
  null; -- there is no such role: the server works as the owner, who has all rights
end $$
