-- What the server's role may do with the queue: everything but change its tables. The queue holds ids
-- and nothing else. Its tables come under row-level security without a policy, which would show the
-- role nothing, so they are given one. It names no role, or a dump could not be restored where the role
-- is not there yet; who is let in at all is what the grants say.
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
  null; -- no such role: the server works as the owner, who is not held back
end $$
