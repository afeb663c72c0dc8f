-- Grants the server's role access to the parent tables, as the table registry says. The role gets nothing on the
-- partitions, which have no row-level security, and cannot change the audit log.
do $$
declare
  place text := current_schema();
begin
  execute format('grant usage on schema %I to reflect_app', place);
  execute format('grant select, insert, update, delete on %s to reflect_app', current_setting('reflect.grant_write'));
  execute format('grant select, insert on %s to reflect_app', current_setting('reflect.grant_append'));
  execute format('grant select on %s to reflect_app', current_setting('reflect.grant_read'));
  -- These run with the rights of the tables' owner.
  grant execute on function build_graph(int, int), drop_graph(int, int, interval), estimated_vectors(),
    memories_matching(jsonb, jsonb, int), memories_with_words(text[], jsonb, int) to reflect_app;
  -- The server compares the applied migrations with its own.
  grant select on _sqlx_migrations to reflect_app;
exception when undefined_object then
  null; -- there is no such role: the server works as the owner, who is under row-level security too
end $$
